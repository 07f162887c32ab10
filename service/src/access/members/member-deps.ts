import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { Outbox } from '../../platform/mail/outbox.ts';

/** What it takes to change a partner's people. */
export interface MemberDeps {
  pool: Pool;
  clock: Clock;
  outbox: Outbox;
  /** Where people sign in: mails lead there. */
  dashboardUrl: string;
}
