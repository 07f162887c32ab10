import type { Clock } from '../clock.ts';
import type { Transaction } from '../database/transaction.ts';
import { newId } from '../ids.ts';
import type { JobSender, Queue } from '../jobs/jobs.ts';
import type { Encryptor } from '../encryption.ts';
import type { AttachmentReference } from './attachment.ts';
import { renderMail, type MailMessage } from './layout.ts';
import { isMailAddress } from '../configuration/mail-address.ts';
import { encryptContent } from './encrypted-content.ts';
import { insertMail } from './store.ts';

/**
 * One job a mail. A relay that is down is asked again after seconds, then minutes, for about a day; what still waits then is
 * given up by the daily sweep.
 */
export const sendMail: Queue = { name: 'send-mail', retryLimit: 300, atOnce: 4 };

interface OutgoingMail {
  /** A new one, where the email has to name itself. */
  id?: string;
  /** What it is about, as "sign-in-code": for people who look at the table. It says nothing about anybody. */
  kind: string;
  /** One address, as `isMailAddress` knows it; anything else is thrown. */
  to: string;
  message: MailMessage;
  /** A file that is made when the mail is sent. */
  attachment?: AttachmentReference;
  /** From when on it is of no use, as a code that is over: it is not sent then any more. */
  expiresAt?: Date;
  /** Whether it is sent after all others that wait: for what anybody can have us send, to any address. */
  isLast?: boolean;
}

export interface Outbox {
  /** The mail is sent once this transaction has committed, and never if it rolls back. Says the mail's id. */
  post(tx: Transaction, mail: OutgoingMail): Promise<string>;
}

interface OutboxDeps {
  jobs: Pick<JobSender, 'enqueue'>;
  encryptor: Encryptor;
  clock: Clock;
  /** The domain of the address that mails are from: a Message-ID ends with it. */
  fromDomain: string;
  /** Every email's footer names it. */
  supportEmail: string;
}

export function createOutbox({ jobs, encryptor, clock, fromDomain, supportEmail }: OutboxDeps): Outbox {
  return {
    async post(tx, { id = newId(clock), kind, to, message, attachment, expiresAt, isLast = false }) {
      if (!isMailAddress(to)) throw new Error('an email needs one valid address');
      const content = renderMail(message, { supportEmail });
      await insertMail(tx, {
        id,
        kind,
        messageId: `<${id}@${fromDomain}>`,
        contentEncrypted: encryptContent(encryptor, id, { ...content, to, attachment: attachment ?? null }),
        createdAt: clock.now(),
        expiresAt: expiresAt ?? null,
      });
      await jobs.enqueue(tx, sendMail, { mail_id: id }, { isLast });
      return id;
    },
  };
}
