import type { Encryptor } from '../encryption.ts';
import type { AttachmentReference } from './attachment.ts';
import type { MailContent } from './layout.ts';

/** What only the reader may see: it is kept encrypted until the mail is sent. */
export interface AddressedContent extends MailContent {
  to: string;
  attachment: AttachmentReference | null;
}

function placeOf(mailId: string) {
  return { table: 'outgoing_mails', row: mailId, column: 'content_encrypted' };
}

export function encryptContent(
  encryptor: Encryptor,
  mailId: string,
  { to, subject, text, html, attachment }: AddressedContent,
): Buffer {
  return encryptor.encrypt(JSON.stringify({ to, subject, text, html, attachment }), placeOf(mailId));
}

function textIn(record: object, name: string): string {
  const value: unknown = Reflect.get(record, name);
  if (typeof value !== 'string') throw new Error(`an encrypted email has no ${name}`);
  return value;
}

/** None in a mail that an older version posted. */
function attachmentIn(record: object): AttachmentReference | null {
  const value: unknown = Reflect.get(record, 'attachment');
  if (typeof value !== 'object' || value === null) return null;
  return { kind: textIn(value, 'kind'), partnerId: textIn(value, 'partnerId'), id: textIn(value, 'id') };
}

export function openContent(encryptor: Encryptor, mailId: string, encrypted: Buffer): AddressedContent {
  const opened: unknown = JSON.parse(encryptor.decrypt(encrypted, placeOf(mailId)));
  if (typeof opened !== 'object' || opened === null) throw new Error('an encrypted email has no content');
  return {
    to: textIn(opened, 'to'),
    subject: textIn(opened, 'subject'),
    text: textIn(opened, 'text'),
    html: textIn(opened, 'html'),
    attachment: attachmentIn(opened),
  };
}
