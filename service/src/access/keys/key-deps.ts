import type { InConfirmedTransaction, NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { Pepper } from '../secrets.ts';

/** What it takes to change a partner's keys. */
export interface KeyChangeDeps {
  pool: Pool;
  clock: Clock;
  pepper: Pepper;
  /** Where the keys are listed: mails lead there. */
  dashboardUrl: string;
  inConfirmedTransaction: InConfirmedTransaction;
  notifyAdmins: NotifyAdmins;
}
