import type { Encryptor } from '../encryption.ts';
import type { MailContent } from './layout.ts';

/** What is nobody's business but the reader's: it is kept encrypted, until the mail is sent. */
export interface AddressedContent extends MailContent {
  to: string;
}

function placeOf(mailId: string) {
  return { table: 'outgoing_mails', row: mailId, column: 'content_encrypted' };
}

export function encryptContent(
  encryptor: Encryptor,
  mailId: string,
  { to, subject, text, html }: AddressedContent,
): Buffer {
  return encryptor.encrypt(JSON.stringify({ to, subject, text, html }), placeOf(mailId));
}

export function openContent(encryptor: Encryptor, mailId: string, encrypted: Buffer): AddressedContent {
  const opened: unknown = JSON.parse(encryptor.decrypt(encrypted, placeOf(mailId)));
  if (typeof opened !== 'object' || opened === null) throw new Error('an encrypted mail holds no content');
  const textOf = (name: keyof AddressedContent): string => {
    const value: unknown = Reflect.get(opened, name);
    if (typeof value !== 'string') throw new Error(`an encrypted mail has no ${name}`);
    return value;
  };
  return { to: textOf('to'), subject: textOf('subject'), text: textOf('text'), html: textOf('html') };
}
