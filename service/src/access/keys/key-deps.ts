import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { Outbox } from '../../platform/mail/outbox.ts';
import type { Pepper } from '../secrets.ts';

/** What it takes to change a partner's keys. */
export interface KeyChangeDeps {
  pool: Pool;
  clock: Clock;
  pepper: Pepper;
  outbox: Outbox;
  /** Where the keys are listed: mails lead there. */
  dashboardUrl: string;
}
