import type { Sealer } from '../sealing.ts';
import type { MailContent } from './frame.ts';

/** What is nobody's business but the reader's: it is kept sealed, until the mail is sent. */
export interface AddressedContent extends MailContent {
  to: string;
}

function placeOf(mailId: string) {
  return { table: 'outgoing_mails', row: mailId, column: 'content_sealed' };
}

export function sealContent(sealer: Sealer, mailId: string, { to, subject, text, html }: AddressedContent): Buffer {
  return sealer.seal(JSON.stringify({ to, subject, text, html }), placeOf(mailId));
}

export function openContent(sealer: Sealer, mailId: string, sealed: Buffer): AddressedContent {
  const opened: unknown = JSON.parse(sealer.open(sealed, placeOf(mailId)));
  if (typeof opened !== 'object' || opened === null) throw new Error('a sealed mail holds no content');
  const textOf = (name: keyof AddressedContent): string => {
    const value: unknown = Reflect.get(opened, name);
    if (typeof value !== 'string') throw new Error(`a sealed mail has no ${name}`);
    return value;
  };
  return { to: textOf('to'), subject: textOf('subject'), text: textOf('text'), html: textOf('html') };
}
