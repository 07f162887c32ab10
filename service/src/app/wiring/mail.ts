// How mails leave: by which relay, and from whom.
import type { Clock } from '../../platform/clock.ts';
import type { JobSender } from '../../platform/jobs/jobs.ts';
import type { MailSender } from '../../platform/configuration/mail-address.ts';
import { createOutbox, type Outbox } from '../../platform/mail/outbox.ts';
import type { RelaySettings } from '../../platform/mail/transport.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import { required, settings, type Setting } from '../../platform/configuration/settings.ts';

const developmentSupport = 'support@kelpie.example';

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

/** Where people write for help. Development has an address too, so that errors and emails read as they do in production. */
export function chooseSupport(get: <Value>(setting: Setting<Value>) => Value): string {
  const isProduction = get(settings.mode) === 'production';
  return (
    get<string | null>(isProduction ? required(settings.supportEmail) : settings.supportEmail) ?? developmentSupport
  );
}

interface OutboxDeps {
  jobs: Pick<JobSender, 'enqueue'>;
  encryptor: Encryptor;
  clock: Clock;
  mailFrom: MailSender | null;
  supportEmail: string;
}

/** Where mails are posted. Those of a development that names no sender have ids of nowhere, and stay where they are. */
export function openOutbox({ mailFrom, ...deps }: OutboxDeps): Outbox {
  return createOutbox({ ...deps, fromDomain: mailFrom?.domain ?? 'nowhere.invalid' });
}
