import type { Mail, MailAttachment } from './mail.ts';

const styles = `
  :root { color-scheme: light dark; --ink: #0b1f24; --ground: #f7f9f8; --line: #d5dedc; --soft: #51666a; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #dfe8e6; --ground: #0b1518; --line: #24363a; --soft: #93a7a5; }
  }
  body { margin: 0 auto; max-width: 760px; padding: 32px 20px; background: var(--ground); color: var(--ink);
    font: 15px/1.5 'Inter Variable', system-ui, sans-serif; }
  h1 { font-size: 20px; display: flex; justify-content: space-between; }
  a { font-size: 15px; font-weight: normal; color: inherit; }
  article { border-top: 1px solid var(--line); padding: 20px 0; }
  h2 { font-size: 15px; margin: 0; }
  p { margin: 2px 0; color: var(--soft); }
  pre { white-space: pre-wrap; font: inherit; }
  iframe { width: 100%; height: 320px; border: 1px solid var(--line); background: white; }
`;

function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (character) => names[character] ?? character);
}

function renderAttachment({ name, contentType, contentBase64 }: MailAttachment): string {
  const address = `data:${escapeHtml(contentType)};base64,${contentBase64}`;
  return `<p>Attached: <a download="${escapeHtml(name)}" href="${address}">${escapeHtml(name)}</a></p>`;
}

function renderMail(mail: Mail): string {
  // The sandbox attribute keeps a mail's HTML from running anything, as a mail program would.
  const html =
    mail.html === undefined
      ? ''
      : `<details><summary>As HTML</summary><iframe sandbox title="The mail as HTML" srcdoc="${escapeHtml(mail.html)}"></iframe></details>`;
  return `<article>
    <h2>${escapeHtml(mail.subject)}</h2>
    <p>to ${escapeHtml(mail.to.join(', '))} · <time>${mail.receivedAt.toISOString()}</time></p>
    <pre>${escapeHtml(mail.text)}</pre>${html}${mail.attachments.map(renderAttachment).join('')}
  </article>`;
}

export function renderInbox(mails: readonly Mail[]): string {
  const list =
    mails.length === 0
      ? '<p>No email yet. In development, every email that Kelpie sends arrives here and nowhere else.</p>'
      : mails.map(renderMail).join('\n');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Mail inbox (${mails.length})</title>
    <style>${styles}</style>
  </head>
  <body>
    <h1>Mail inbox <a href="/">Reload</a></h1>
    ${list}
  </body>
</html>
`;
}
