import { interFace, palettes } from '../../http/reference/brand.ts';

// How the status page looks: the type and the colours of the dashboard, hairlines instead of boxes.

function variables(mode: keyof typeof palettes): string {
  const { ground, ink, muted, line, tide, green, red, amber, blue } = palettes[mode];
  return `--ground:${ground};--ink:${ink};--muted:${muted};--line:${line};--tide:${tide};--operational:${green};--outage:${red};--degraded:${amber};--maintenance:${blue};color-scheme:${mode}`;
}

/** Bars are calmer than words: what is well must not shout. */
export const style = `
${interFace}
:root{${variables('light')}}
@media (prefers-color-scheme:dark){:root{${variables('dark')}}}
*{box-sizing:border-box;margin:0}
body{background:var(--ground);color:var(--ink);font:400 15px/1.5 Inter,ui-sans-serif,system-ui,sans-serif;font-variant-numeric:tabular-nums;padding:32px 20px 56px}
header,main,footer{max-width:800px;margin-inline:auto}
header{display:flex;align-items:center;gap:10px;font-weight:600;font-size:17px;letter-spacing:-.01em}
header svg{width:26px;height:26px;color:var(--tide)}
h1{font-size:30px;line-height:1.2;font-weight:600;letter-spacing:-.02em;margin-top:40px;display:flex;gap:14px;align-items:center}
h1 svg{flex:none;width:22px;height:22px}
h2{font-size:17px;font-weight:600;letter-spacing:-.01em;margin-top:52px}
h3{font-size:15px;font-weight:600}
a{color:var(--tide);text-underline-offset:3px}
ol,ul{list-style:none;padding:0}
.quiet{color:var(--muted);font-size:13px}
.updated{margin-top:10px}
.stale{margin-top:18px;padding-left:14px;border-left:3px solid var(--outage);max-width:60ch}
.components{margin-top:12px;border-top:1px solid var(--line)}
.components>li{padding:20px 0 18px;border-bottom:1px solid var(--line)}
.head{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 10px}
.level{display:inline-flex;align-items:center;gap:7px;margin-left:auto;font-weight:500;font-size:13px}
.level svg{width:11px;height:11px}
.operational{color:var(--operational)}.maintenance{color:var(--maintenance)}.degraded{color:var(--degraded)}.outage{color:var(--outage)}
.note{margin-top:4px;max-width:65ch}
.bars{display:block;width:100%;height:32px;margin-top:14px}
.bars .none{fill:var(--line)}.bars .well{fill:var(--operational);opacity:.55}
.bars .maintenance{fill:var(--maintenance)}.bars .degraded{fill:var(--degraded)}.bars .outage{fill:var(--outage)}
.scale{display:flex;justify-content:space-between;margin-top:6px}
details{margin-top:8px}
summary{cursor:pointer;color:var(--muted);font-size:13px;width:fit-content}
summary:focus-visible,a:focus-visible{outline:2px solid var(--tide);outline-offset:3px;border-radius:2px}
.days{margin-top:8px;font-size:13px}
.days li{display:flex;flex-wrap:wrap;gap:2px 16px;padding:5px 0}
.days b{font-weight:500;min-width:150px}
.incident{padding:20px 0;border-bottom:1px solid var(--line)}
.incident:first-of-type{margin-top:12px;border-top:1px solid var(--line)}
.incident:last-of-type{border-bottom:0}
.meta{display:flex;flex-wrap:wrap;align-items:center;gap:2px 12px;margin-top:4px}
.meta .level{margin-left:0}
.updates{margin-top:12px;display:grid;gap:12px}
.updates p{white-space:pre-line;max-width:65ch;overflow-wrap:anywhere}
.empty{margin-top:12px;color:var(--muted)}
footer{margin-top:44px;padding-top:18px;border-top:1px solid var(--line);display:grid;gap:6px}
footer nav{display:flex;flex-wrap:wrap;gap:6px 20px}
@media (max-width:520px){body{padding:24px 16px 48px}h1{font-size:24px;margin-top:30px}h2{margin-top:44px}.about{order:1;width:100%}}
`;
