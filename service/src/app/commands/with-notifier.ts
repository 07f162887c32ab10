import { createAdminNotifier, createFreezeLinks } from '../../access/index.ts';
import type { NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import type { Clock } from '../../platform/clock.ts';
import { settings } from '../../platform/configuration/settings.ts';
import { createEncryptor } from '../../platform/encryption.ts';
import { createVersionedDigest } from '../../platform/keyed-digest.ts';
import { chooseSender, chooseSupport, openOutbox } from '../wiring/mail.ts';
import { withJobs } from '../wiring/with-jobs.ts';
import { chosenSettings, type OperatorDeps } from './run-command.ts';

interface Notifying {
  clock: Clock;
  dashboardUrl: string;
  notifyAdmins: NotifyAdmins;
}

/** For a command that emails a partner's admins. Emails are posted in the transaction of the act, which needs the job engine. */
export async function withNotifier<Done>(
  { pool, logger, clock }: Pick<OperatorDeps, 'pool' | 'logger' | 'clock'>,
  work: (notifying: Notifying) => Promise<Done>,
): Promise<Done> {
  const { dataKeys, indexKey, dashboardUrl, ...sender } = chosenSettings((get) => ({
    dataKeys: get(settings.dataKeys),
    indexKey: get(settings.indexKey),
    dashboardUrl: get(settings.dashboardUrl) ?? `${get(settings.publicUrl)}/dashboard`,
    mailFrom: chooseSender(get),
    supportEmail: chooseSupport(get),
  }));
  return withJobs({ pool, logger }, async (jobs) => {
    const outbox = openOutbox({ jobs, encryptor: createEncryptor(dataKeys), clock, ...sender });
    const links = createFreezeLinks(createVersionedDigest(indexKey, 'freeze links'), dashboardUrl);
    return work({ clock, dashboardUrl, notifyAdmins: createAdminNotifier({ clock, outbox, links }) });
  });
}
