import type { Label } from './labels.ts';
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

export function button(action: string, { text, hint }: Label, attributes = ''): string {
  return `<form method="post" action="${escapeHtml(action)}"><button title="${escapeHtml(hint)}" ${attributes}>${escapeHtml(text)}</button></form>`;
}

/** `main` is markup, so its maker has escaped the values in it. */
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
