export const styles = `
  :root { color-scheme: light dark; --ink: #0b1f24; --ground: #f7f9f8; --panel: #ffffff; --line: #d5dedc; --soft: #51666a;
    --accent: #0f6e6e; --held: #7a5a00; --trouble: #a3302a; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #dfe8e6; --ground: #0b1518; --panel: #101e22; --line: #24363a; --soft: #93a7a5;
      --accent: #5cc0bc; --held: #e0b95a; --trouble: #f0938c; }
  }
  * { box-sizing: border-box; }
  body { margin: 0 auto; max-width: 1160px; padding: 32px 24px; background: var(--ground); color: var(--ink);
    font: 14px/1.5 'Inter Variable', system-ui, sans-serif; font-variant-numeric: tabular-nums; }
  header { display: flex; gap: 12px; align-items: baseline; margin-bottom: 20px; }
  header a { margin-left: auto; color: var(--accent); }
  h1 { font-size: 20px; margin: 0; }
  h2 { font-size: 13px; font-weight: 600; margin: 0 0 8px; }
  p, ul { margin: 0 0 8px; }
  .intro { max-width: 70ch; margin: -8px 0 20px; color: var(--soft); }
  ul { padding-left: 18px; }
  .soft { color: var(--soft); }
  .panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 16px; margin-bottom: 28px; }
  section { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; }
  .wide { overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
  table { width: 100%; border-collapse: collapse; }
  th, td { padding: 8px 14px; text-align: left; white-space: nowrap; border-bottom: 1px solid var(--line); }
  tbody tr:last-child td { border-bottom: 0; }
  th { font-weight: 500; color: var(--soft); }
  .amount { text-align: right; }
  .state { font-weight: 500; }
  .done { color: var(--accent); }
  .moving { color: var(--ink); }
  .held { color: var(--held); }
  .trouble { color: var(--trouble); }
  td.acts { white-space: normal; min-width: 300px; padding: 5px 14px; line-height: 2.2; }
  .acts form { display: inline-block; margin: 0 6px 6px 0; }
  td.acts form { margin-bottom: 0; }
  .full { grid-column: 1 / -1; }
  .choices { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 10px 24px; margin: 0; padding: 0;
    list-style: none; }
  .choices li { display: grid; gap: 2px; align-content: start; justify-items: start; }
  button { font: inherit; font-size: 13px; line-height: 1.6; padding: 2px 10px; border: 1px solid var(--line); border-radius: 6px;
    background: transparent; color: var(--accent); cursor: pointer; }
  button:hover, button:focus-visible { border-color: var(--accent); }
  button[aria-pressed='true'] { background: var(--accent); border-color: var(--accent); color: var(--ground); }
  .reason { display: flex; gap: 8px; margin-top: 8px; }
  .reason input { flex: 1; min-width: 0; font: inherit; font-size: 13px; padding: 2px 8px; border: 1px solid var(--line);
    border-radius: 6px; background: transparent; color: inherit; }
  .top-up + .top-up { margin-top: 14px; }
  .top-up h3 { font-size: 13px; font-weight: 500; color: var(--soft); margin: 0 0 6px; }
  .top-up label { display: grid; grid-template-columns: 76px 1fr; gap: 8px; margin-bottom: 6px; }
  .top-up input, .top-up select { min-width: 0; font: inherit; font-size: 13px; padding: 2px 8px; border: 1px solid var(--line);
    border-radius: 6px; background: var(--panel); color: inherit; }
  a { color: var(--accent); }
  .wide + h2, .soft + h2 { margin-top: 28px; }
  code { font: 13px ui-monospace, monospace; }
`;
