// How mails leave: by which relay, and by which jobs.
import type { Clock } from '../../platform/clock.ts';
import type { Failpoint } from '../../platform/failpoint.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { JobHandler, JobSender, Queue } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/logging.ts';
import { createMailDelivery } from '../../platform/mail/deliver-mail.ts';
import type { MailSender } from '../../platform/configuration/mail-address.ts';
import { createOutbox, sendMail, type Outbox } from '../../platform/mail/outbox.ts';
import { sweepMails, sweepOutgoingMails } from '../../platform/mail/sweep-mails.ts';
import type { MailTransport, RelaySettings } from '../../platform/mail/transport.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import { required, settings, type Setting } from '../../platform/configuration/settings.ts';

/**
 * The relay, or null in development without one. Nobody can sign in where no mail is sent, so a production that has none is
 * told when it starts, and not by its first user.
 */
export function chooseRelay(get: <Value>(setting: Setting<Value>) => Value): RelaySettings | null {
  const isProduction = get(settings.mode) === 'production';
  const relay = get<RelaySettings['relay'] | null>(isProduction ? required(settings.smtpUrl) : settings.smtpUrl);
  return relay === null ? null : { relay, from: get(required(settings.mailFrom)), requireTls: isProduction };
}

/** Whom mails are from, or null in development: whoever posts one in production says where its id is at home. */
export function chooseSender(get: <Value>(setting: Setting<Value>) => Value): MailSender | null {
  return get<MailSender | null>(get(settings.mode) === 'production' ? required(settings.mailFrom) : settings.mailFrom);
}

interface OutboxDeps {
  jobs: Pick<JobSender, 'enqueue'>;
  encryptor: Encryptor;
  clock: Clock;
  mailFrom: MailSender | null;
}

/** Where mails are posted. Those of a development that names no sender have ids of nowhere, and stay where they are. */
export function openOutbox({ mailFrom, ...deps }: OutboxDeps): Outbox {
  return createOutbox({ ...deps, fromDomain: mailFrom?.domain ?? 'nowhere.invalid' });
}

interface MailDeps {
  clock: Clock;
  logger: Logger;
  pool: Pool;
  failpoint: Failpoint;
  encryptor: Encryptor;
  transport: MailTransport | null;
}

/** Without a relay, mails stay where they are: a worker that has one sends them. */
export function mailHandlers({ transport, ...deps }: MailDeps): [Queue, JobHandler][] {
  const sweep: [Queue, JobHandler] = [sweepMails, async () => sweepOutgoingMails(deps)];
  if (transport !== null) return [sweep, [sendMail, createMailDelivery({ ...deps, transport })]];
  deps.logger.warn({}, 'mail.no_relay');
  return [sweep];
}
