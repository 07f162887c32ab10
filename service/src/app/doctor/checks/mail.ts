import { settings } from '../../../platform/configuration/settings.ts';
import { greetRelay } from '../../../platform/mail/transport.ts';
import type { DoctorDeps } from '../deps.ts';
import { NotChecked, ok, problem, type Check } from '../finding.ts';
import { reasonOf } from '../run-checks.ts';

const remedies = new Map([
  ['EAUTH', 'it refuses our user or password'],
  ['ETLS', 'it does not offer STARTTLS, or its certificate cannot be verified'],
  ['ETIMEDOUT', 'it does not answer'],
  ['ESOCKET', 'the connection breaks, or its certificate cannot be verified'],
  ['ECONNECTION', 'nothing listens there'],
  ['ECONNREFUSED', 'nothing listens there'],
  ['EDNS', 'its name is unknown'],
]);

export function checkMail({ given }: DoctorDeps): Check {
  return {
    name: 'email',
    async run() {
      const relay = given.find(settings.smtpUrl);
      if (relay === null)
        throw new NotChecked(`${settings.smtpUrl.variable} is not set. Run it with a worker's settings.`);
      const requireTls = !given.isDevelopment;
      try {
        await greetRelay({ relay, requireTls });
      } catch (error) {
        const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
        const why = remedies.get(String(code)) ?? reasonOf(error);
        return [problem(`The relay cannot be used: ${why}. Check ${settings.smtpUrl.variable} and the relay's log.`)];
      }
      const how = relay.auth === null ? '' : ' and accepts our login';
      return [ok(`The relay answers${requireTls || relay.secure ? ' over TLS' : ''}${how}.`)];
    },
  };
}
