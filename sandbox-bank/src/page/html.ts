import { styles } from './styles.ts';

export function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (character) => names[character] ?? character);
}

export function button(action: string, label: string, attributes = ''): string {
  return `<form method="post" action="${escapeHtml(action)}"><button ${attributes}>${escapeHtml(label)}</button></form>`;
}

/** A whole page. `main` is markup: whoever makes it has escaped what is in it. */
export function renderDocument({ title, main }: { title: string; main: string }): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escapeHtml(title)}</title>
    <style>${styles}</style>
  </head>
  <body>
    ${main}
  </body>
</html>
`;
}
