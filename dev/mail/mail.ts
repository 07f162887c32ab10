import PostalMime from 'postal-mime';

/** A mail as it was received: what its reader would see, and the addresses it was really sent to. */
export interface Mail {
  receivedAt: Date;
  from: string;
  to: string[];
  subject: string;
  messageId: string;
  text: string;
  html: string | undefined;
  attachments: MailAttachment[];
}

export interface MailAttachment {
  name: string;
  contentType: string;
  contentBase64: string;
}

export async function parseMail(raw: Buffer, to: string[]): Promise<Mail> {
  const parsed = await PostalMime.parse(raw, { attachmentEncoding: 'base64' });
  return {
    receivedAt: new Date(),
    from: parsed.from?.address ?? '',
    to,
    subject: parsed.subject ?? '',
    messageId: parsed.messageId ?? '',
    text: parsed.text ?? '',
    html: parsed.html,
    attachments: parsed.attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? '',
      contentType: mimeType,
      contentBase64: typeof content === 'string' ? content : Buffer.from(new Uint8Array(content)).toString('base64'),
    })),
  };
}
