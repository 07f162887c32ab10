import type { Clock } from '../../platform/clock.ts';
import type { NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import { dayBefore, dayOf, type Day } from '../../platform/london-day.ts';
import type { Logger } from '../../platform/logging.ts';
import { readInPages } from '../../platform/read-in-pages.ts';
import { unusualVolumeMail } from '../mails/unusual-volume.ts';
import {
  deleteOldSpending,
  listUnusualVolumes,
  markVolumeNotified,
  readBusiness,
  type UnusualVolume,
} from './store.ts';

export interface VolumeDeps {
  pool: Pool;
  calls: SingleCalls;
  clock: Clock;
  logger: Logger;
  notifyAdmins: NotifyAdmins;
  dashboardUrl: string | null;
}

const partnersAtOnce = 100;
/** The 30 days that a day is compared with, and some to look back at. */
const keptDays = 40;

/**
 * Emails the admins of partners that pay unusually much today, once per day: kelpie.list_unusual_volumes has the rule. It is
 * looked at every few minutes and not by the payout that crosses it: a payout that waited for this would be slower.
 */
export async function warnOfVolume(deps: VolumeDeps, signal: AbortSignal): Promise<void> {
  const day = dayOf(deps.clock.now());
  const unusual = readInPages(
    async (afterPartner) => listUnusualVolumes(deps.calls, { day, afterPartner, atMost: partnersAtOnce }),
    ({ partnerId }) => partnerId,
  );
  for await (const volume of unusual) {
    // Another worker has the job by now.
    if (signal.aborted) return;
    await warn(deps, volume, day);
  }
}

/** One commit: that its admins were notified, and their emails. */
async function warn({ pool, clock, logger, notifyAdmins, dashboardUrl }: VolumeDeps, volume: UnusualVolume, day: Day) {
  const { partnerId, environment } = volume;
  const isNew = await inTransaction(pool, volume, async (tx) => {
    if (!(await markVolumeNotified(tx, volume, { day, at: clock.now() }))) return false;
    const business = await readBusiness(tx, volume);
    await notifyAdmins(tx, {
      kind: 'unusual-volume',
      message: unusualVolumeMail({ ...volume, business, dashboardUrl }),
    });
    return true;
  });
  if (isNew) logger.warn({ partner_id: partnerId, environment }, 'payouts.unusual_volume');
}

/** Counters that nobody compares any more. */
export async function forgetOldSpending({ calls, clock }: Pick<VolumeDeps, 'calls' | 'clock'>): Promise<number> {
  return deleteOldSpending(calls, dayBefore(dayOf(clock.now()), keptDays));
}
