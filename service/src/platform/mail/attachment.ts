/** Names a file instead of holding it: a mail that waits stays small, and the file is made when the mail is sent. */
export interface AttachmentReference {
  /** Which module makes the file, as "invoice". */
  kind: string;
  partnerId: string;
  id: string;
}

export interface MailFile {
  name: string;
  contentType: 'application/pdf';
  content: Buffer;
}

/** Makes the file. What it throws leaves the mail waiting for its next try. */
export type OpenAttachment = (reference: AttachmentReference) => Promise<MailFile>;
