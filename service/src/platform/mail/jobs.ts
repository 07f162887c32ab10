// What a worker does for mails: sends them, and gives up what could not be sent.
import type { Clock } from '../clock.ts';
import type { Pool } from '../database/pool.ts';
import type { SingleCalls } from '../database/single-call.ts';
import type { Encryptor } from '../encryption.ts';
import type { Failpoint } from '../failpoint.ts';
import type { JobHandler, Queue } from '../jobs/jobs.ts';
import type { Logger } from '../logging.ts';
import type { OpenAttachment } from './attachment.ts';
import { recordRetention } from '../retention/record-retention.ts';
import { createMailDelivery } from './deliver-mail.ts';
import { sendMail } from './outbox.ts';
import { sweepOutgoingMails } from './sweep-mails.ts';
import type { MailTransport } from './transport.ts';

const sweepMails: Queue = { name: 'sweep-mails', retryLimit: 5, schedule: '37 4 * * *' };

export const mailQueues: readonly Queue[] = [sendMail, sweepMails];

interface MailJobDeps {
  clock: Clock;
  logger: Logger;
  pool: Pool;
  calls: SingleCalls;
  failpoint: Failpoint;
  encryptor: Encryptor;
  /** Null without a relay: mails stay where they are, and a worker that has one sends them. */
  transport: MailTransport | null;
  openAttachment: OpenAttachment;
}

export function mailHandlers({ transport, ...deps }: MailJobDeps): [Queue, JobHandler][] {
  const sweep: [Queue, JobHandler] = [
    sweepMails,
    async () => {
      const removed = await sweepOutgoingMails(deps);
      await recordRetention(deps.calls, sweepMails, { removed, at: deps.clock.now() });
    },
  ];
  if (transport !== null) return [sweep, [sendMail, createMailDelivery({ ...deps, transport })]];
  deps.logger.warn({}, 'mail.no_relay');
  return [sweep];
}
