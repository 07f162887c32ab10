import assert from 'node:assert/strict';
import { renderMail, type MailContent, type MailMessage } from '../../../src/platform/mail/layout.ts';

const characters: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** An email as the outbox renders it. */
export function rendered(message: MailMessage): MailContent {
  return renderMail(message, { supportEmail: 'support@kelpie.example' });
}

/** What a reader of the HTML sees, below the name at the top. */
function wordsOfHtml(html: string): string {
  const [, body = ''] = /<body[^>]*>(.*)<\/body>/s.exec(html) ?? [];
  const read = body.replaceAll(/<!--.*?-->/gs, '').replaceAll(/<(p|div) class="(brand|preview)\b.*?<\/\1>/gs, '');
  // A link's page stands behind its label in the text.
  const linked = read.replaceAll(/<a [^>]*href="(https?:[^"]*)"[^>]*>(.*?)<\/a>/gs, '$2 $1');
  const words = linked.replaceAll(/<[^>]*>/g, ' ');
  const decoded = words.replaceAll(/&(lt|gt|quot|#39|amp);/g, (name) => characters[name] ?? name);
  return decoded.replaceAll(/\s+/g, ' ').trim();
}

/** What every mail of ours keeps to. */
export function assertWellSet({ subject, text, html }: MailContent): void {
  assert.equal(wordsOfHtml(html), text.replaceAll(/\s+/g, ' ').trim(), 'text and HTML do not say the same');
  // An address that is broken can't be clicked.
  const lines = text.split('\n').filter((line) => !line.startsWith('https://'));
  for (const line of lines) assert(Array.from(line).length <= 78, `too long: ${line}`);
  assert.doesNotMatch(subject + text, /!|undefined|null|\[object/);
  assert.match(subject, /^[^\s].{0,140}[^\s.]$/);
  // Nothing is fetched, and nothing runs.
  assert.doesNotMatch(html, /<(img|script|link|iframe|form|object)\b|\bsrc=|url\(|@import|@font-face|\son\w+=/i);
  for (const [, name = '', role = ''] of html.matchAll(/<(table)([^>]*)>/g)) assert.match(role, /presentation/, name);
}

/** A name as somebody would choose it who wants to break a mail. */
export const hostileName = '<img src=x onerror="alert(1)">\r\nBcc: mallory@example.com\u202e & \'Söhne\'';

/** The same mail with hostile names in it: they are words, and nothing else. */
export function assertNamesAreWords(content: MailContent): void {
  assertLooksHarmless(content);
  assert.match(wordsOfHtml(content.html), /<img src=x onerror="alert\(1\)"> Bcc: mallory@example\.com & 'Söhne'/);
}

function assertLooksHarmless({ subject, text, html }: MailContent): void {
  assert.doesNotMatch(subject, /[\r\n]/);
  assert.doesNotMatch(html, /<img|\u202e/);
  assert.doesNotMatch(text, /\r|\u202e/);
}
