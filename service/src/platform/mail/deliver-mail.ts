import type { Clock } from '../clock.ts';
import type { Failpoint } from '../failpoint.ts';
import type { Pool } from '../database/pool.ts';
import { inTransaction } from '../database/transaction.ts';
import type { JobHandler } from '../jobs/jobs.ts';
import type { Logger } from '../logging.ts';
import type { Encryptor } from '../encryption.ts';
import type { OpenAttachment } from './attachment.ts';
import { openContent } from './encrypted-content.ts';
import { endMail, findWaitingMail, type MailEnd, type WaitingMail } from './store.ts';
import type { MailTransport } from './transport.ts';

interface DeliveryDeps {
  pool: Pool;
  encryptor: Encryptor;
  clock: Clock;
  logger: Logger;
  failpoint: Failpoint;
  transport: MailTransport;
  openAttachment: OpenAttachment;
}

/**
 * Sends one mail, with no transaction open meanwhile. A crash after the relay's yes and before it is written down sends the
 * mail again, with the same Message-ID: a mail that comes twice is better than one that never comes.
 */
export function createMailDelivery(deps: DeliveryDeps): JobHandler {
  const { pool, clock } = deps;
  return async ({ arguments: { mail_id: id } }) => {
    if (id === undefined) throw new Error('a job names no email');
    const mail = await inTransaction(pool, 'shared', async (tx) => findWaitingMail(tx, id));
    if (mail === null) return;
    const end = await sendOnce(deps, mail);
    await inTransaction(pool, 'shared', async (tx) => endMail(tx, id, { end, at: clock.now() }));
  };
}

async function sendOnce(deps: DeliveryDeps, mail: WaitingMail): Promise<MailEnd> {
  const { encryptor, clock, logger, failpoint, transport, openAttachment } = deps;
  const line = { mail_id: mail.id, mail_kind: mail.kind };
  if (mail.expires_at !== null && mail.expires_at <= clock.now()) {
    logger.warn(line, 'mail.expired');
    return 'given_up';
  }
  const { attachment, ...content } = openContent(encryptor, mail.id, mail.content_encrypted);
  const files = attachment === null ? [] : [await openAttachment(attachment)];
  await failpoint('mail.send.before');
  const outcome = await transport.send({ ...content, files, messageId: mail.message_id, date: mail.created_at });
  await failpoint('mail.send.after');
  switch (outcome.kind) {
    case 'taken':
      logger.info(line, 'mail.sent');
      return 'sent';
    case 'refused':
      logger.warn({ ...line, status: outcome.status }, 'mail.refused');
      return 'refused';
  }
}
