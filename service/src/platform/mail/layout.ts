/** An email as its reader gets it. Text and HTML say the same. */
export interface MailContent {
  subject: string;
  text: string;
  html: string;
}

/** What the body is made of. The layout writes each block as text and as HTML, so that the two can't differ. */
export type MailBlock =
  | { kind: 'words'; text: string }
  | { kind: 'code'; code: string }
  | { kind: 'facts'; facts: readonly (readonly [label: string, value: string])[] }
  | { kind: 'link'; label: string; url: string }
  | { kind: 'entries'; entries: readonly MailEntry[] }
  /** Quieter: what to do where the mail was not expected. */
  | { kind: 'aside'; text: string };

/** One of several things that an email lists. */
interface MailEntry {
  title: string;
  detail: string;
  link: { label: string; url: string } | null;
}

/** What a template writes. The outbox renders it, since the footer is the same for all. */
export interface MailMessage {
  subject: string;
  /** The one thing that it says: its first line, which an inbox shows beside the subject. */
  lead: string;
  blocks: readonly MailBlock[];
}

export interface MailFooter {
  supportEmail: string;
}

/** Well below 78, so that a line survives being quoted. Only an address that can't be broken is longer. */
const lineLength = 72;
const senderName = 'Kelpie';

/** Breaks a line, or turns the direction of what follows, so that a name could look like a sentence of ours. */
const breaking = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

function onOneLine(text: string): string {
  return text.replaceAll(breaking, ' ').replaceAll(/\s+/g, ' ').trim();
}

const fromTheRight =
  '\\p{sc=Hebr}\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Thaa}\\p{sc=Nkoo}\\p{sc=Samr}\\p{sc=Mand}\\p{sc=Adlm}\\p{sc=Rohg}';

/** From the first letter that is read from the right to the last one before a line ends or another script begins. */
const runsFromTheRight = new RegExp(
  `[${fromTheRight}](?:[${fromTheRight}\\p{M}\\p{N}\\p{P}\\p{Zs}]*[${fromTheRight}\\p{M}])?`,
  'gu',
);

/** Else the digits and signs after such a name, often an amount, would be shown before it. */
function isolate(text: string, [before, after]: readonly [before: string, after: string]): string {
  return text.replaceAll(runsFromTheRight, `${before}$&${after}`);
}

const inText = ['\u2068', '\u2069'] as const;
const inHtml = ['<bdi>', '</bdi>'] as const;

function charactersIn(text: string): number {
  return Array.from(text).length;
}

/** A name without spaces must not make a line without end. */
function breakWord(word: string): string[] {
  return word.match(new RegExp(`.{1,${lineLength}}`, 'gu')) ?? [];
}

function wrap(text: string, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of onOneLine(text).split(' ').flatMap(breakWord)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (charactersIn(longer) <= lineLength) line = longer;
    else {
      lines.push(line);
      line = indent + word;
    }
  }
  return [...lines, line].join('\n');
}

const htmlNames: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For an attribute or a title, which can't hold an element. */
function escapeBare(text: string): string {
  return onOneLine(text).replaceAll(/[&<>"']/g, (character) => htmlNames[character] ?? character);
}

function escape(text: string): string {
  return isolate(escapeBare(text), inHtml);
}

/** A link opens a page and does nothing else. */
function pageAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol))
    throw new Error('an email may link only to our pages');
  return url.href;
}

function textOf(block: MailBlock): string {
  switch (block.kind) {
    case 'words':
    case 'aside':
      return wrap(block.text);
    case 'code':
      return `    ${onOneLine(block.code)}`;
    case 'facts':
      return block.facts.map(([label, value]) => wrap(`${label}: ${value}`, '  ')).join('\n');
    case 'link':
      return textOfLink(block);
    case 'entries':
      return block.entries.map(textOfEntry).join('\n\n');
  }
}

function textOfLink({ label, url }: { label: string; url: string }): string {
  return `${wrap(label)}\n${pageAddress(url)}`;
}

function textOfEntry({ title, detail, link }: MailEntry): string {
  return [wrap(title), wrap(detail), ...(link === null ? [] : [textOfLink(link)])].join('\n');
}

/** Set inline as well as by class: some programs drop the styles of the head, and dark colours need them. */
const ink = 'color:#0b1f24';
const soft = 'color:#51666a';
const tide = 'color:#0f6e6e';
const mono = `font-family:'JetBrains Mono',ui-monospace,Consolas,Menlo,monospace`;

function htmlOf(block: MailBlock): string {
  switch (block.kind) {
    case 'words':
      return `<p class="ink" style="margin:0 0 20px;${ink}">${escape(block.text)}</p>`;
    case 'aside':
      return `<p class="soft" style="margin:0 0 20px;font-size:14px;line-height:21px;${soft}">${escape(block.text)}</p>`;
    case 'code':
      return `<p class="ink" style="margin:0 0 24px;font-size:32px;line-height:40px;font-weight:600;letter-spacing:6px;${mono};${ink}">${escape(block.code)}</p>`;
    case 'facts':
      return block.facts.map(htmlOfFact).join('\n');
    case 'link':
      return htmlOfLink(escape(block.label), escapeBare(pageAddress(block.url)));
    case 'entries':
      return block.entries.map(htmlOfEntry).join('\n');
  }
}

function htmlOfFact(
  [label, value]: readonly [label: string, value: string],
  at: number,
  all: readonly unknown[],
): string {
  const below = at === all.length - 1 ? 'margin:0 0 20px' : 'margin:0';
  return `<p class="ink line" style="${below};padding:8px 0;border-top:1px solid #d5dedc;${ink}"><span class="soft" style="${soft}">${escape(label)}:</span> ${escape(value)}</p>`;
}

function htmlOfEntry({ title, detail, link }: MailEntry, at: number, all: readonly unknown[]): string {
  const below = at === all.length - 1 ? 'margin:0 0 20px' : 'margin:0';
  const lines = [
    `<span style="font-weight:600">${escape(title)}</span>`,
    `<span class="soft" style="font-size:14px;line-height:21px;${soft}">${escape(detail)}</span>`,
    ...(link === null ? [] : [htmlOfEntryLink(link)]),
  ];
  return `<p class="ink line" style="${below};padding:12px 0;border-top:1px solid #d5dedc;${ink}">${lines.join('<br />\n')}</p>`;
}

function htmlOfEntryLink({ label, url }: { label: string; url: string }): string {
  return `<a class="tide" href="${escapeBare(pageAddress(url))}" style="font-size:14px;line-height:21px;${tide}">${escape(label)}</a>`;
}

function htmlOfLink(label: string, url: string): string {
  return `<p style="margin:0 0 20px"><a class="action" href="${url}" style="display:inline-block;padding:11px 18px;border-radius:6px;background-color:#0f6e6e;color:#ffffff;font-weight:600;text-decoration:none">${label}</a></p>`;
}

const darkStyles = `
      @media (prefers-color-scheme: dark) {
        .ground { background-color: #0b1518 !important; }
        .ink { color: #dfe8e6 !important; }
        .soft { color: #93a7a5 !important; }
        .tide { color: #4fb3ae !important; }
        .line { border-color: #24363a !important; }
        .action { background-color: #4fb3ae !important; color: #0b1518 !important; }
      }
`;

/** The dashboard's logo. Clients that drop inline SVG show the name alone; an image would be blocked or counted as a file. */
const logo = `<svg class="tide" width="24" height="24" viewBox="0 0 32 32" aria-hidden="true" style="vertical-align:-6px;${tide}"><path d="M3.5 23c4.9 0 6.3-3.9 8.3-8.5C13.9 9.7 16.5 5.5 21 5.5c3.5 0 6 2.5 6 5.3 0 2.2-1.7 3.7-3.8 3.7-3 0-5.2 2.3-5.2 5.3 0 2.7 2.2 4.7 5.2 4.7 2.2 0 4-.7 5.5-1.7" fill="none" stroke="currentColor" stroke-width="2.8" stroke-linecap="round" stroke-linejoin="round" /></svg>`;

/** An inbox shows the first words of the HTML, and those must be the lead: the name above it is shown only once it is open. */
function htmlOfHeader(lead: string): string {
  return `<div class="preview" style="display:none;max-height:0;overflow:hidden">${escape(lead)}</div>
<p class="brand ink" style="margin:0 0 32px;font-size:17px;line-height:24px;font-weight:600;letter-spacing:-0.2px;${ink}">${logo} ${senderName}</p>`;
}

function textOfFooter({ supportEmail }: MailFooter): string {
  return `${senderName}\nQuestions? Contact support: ${onOneLine(supportEmail)}`;
}

function htmlOfFooter({ supportEmail }: MailFooter): string {
  const address = escapeBare(supportEmail);
  return `<p class="soft line" style="margin:32px 0 0;padding:16px 0 0;border-top:1px solid #d5dedc;font-size:14px;line-height:21px;${soft}">${senderName}<br />
Questions? Contact support: <a class="tide" href="mailto:${address}" style="${tide}">${address}</a></p>`;
}

/** No image, no font and nothing else from elsewhere. Outlook does not know max-width: it alone is given a table. */
function renderHtml({ subject, lead, blocks }: MailMessage, footer: MailFooter): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="supported-color-schemes" content="light dark" />
    <title>${escapeBare(subject)}</title>
    <style>
      :root { color-scheme: light dark; supported-color-schemes: light dark; }${darkStyles}    </style>
  </head>
  <body class="ground" style="margin:0;padding:0;background-color:#f7f9f8">
<!--[if mso]><table role="presentation" width="560" align="center" cellpadding="0" cellspacing="0"><tr><td><![endif]-->
<div class="ground ink" style="max-width:560px;margin:0 auto;padding:40px 24px;background-color:#f7f9f8;font-family:'Inter Variable',Inter,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:24px;font-variant-numeric:tabular-nums;${ink}">
${htmlOfHeader(lead)}
<p class="ink" style="margin:0 0 24px;font-size:19px;line-height:28px;font-weight:600;${ink}">${escape(lead)}</p>
${blocks.map(htmlOf).join('\n')}
${htmlOfFooter(footer)}
</div>
<!--[if mso]></td></tr></table><![endif]-->
  </body>
</html>
`;
}

export function renderMail(message: MailMessage, footer: MailFooter): MailContent {
  const paragraphs = [wrap(message.lead), ...message.blocks.map(textOf), textOfFooter(footer)];
  return {
    subject: isolate(onOneLine(message.subject), inText),
    text: isolate(`${paragraphs.join('\n\n')}\n`, inText),
    html: renderHtml(message, footer),
  };
}
