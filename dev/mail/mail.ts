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
}

export async function parseMail(raw: Buffer, to: string[]): Promise<Mail> {
  const parsed = await PostalMime.parse(raw);
  return {
    receivedAt: new Date(),
    from: parsed.from?.address ?? '',
    to,
    subject: parsed.subject ?? '',
    messageId: parsed.messageId ?? '',
    text: parsed.text ?? '',
    html: parsed.html,
  };
}
