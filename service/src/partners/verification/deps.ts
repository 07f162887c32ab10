import type { BankVerification } from '../../banks/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Outbox } from '../../platform/mail/outbox.ts';

/** What refreshing a verification takes, in the api and in a worker alike. */
export interface VerificationDeps {
  pool: Pool;
  clock: Clock;
  logger: Logger;
  /** The bank that looks at businesses: live's. */
  bank: BankVerification;
  outbox: Pick<Outbox, 'post'>;
  /** Whom a decision is mailed to: the addresses of the transaction's partner. */
  listAdmins: (tx: Transaction) => Promise<string[]>;
  /** What else follows from a yes, in its commit. */
  onApproved: (tx: Transaction, partnerId: string, at: Date) => Promise<void>;
  /** Where a mail sends its reader; null where there is no dashboard. */
  dashboardUrl: string | null;
}
