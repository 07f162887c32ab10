import type { BankFunding } from '../banks/index.ts';
import type { Rail } from '../partners/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import type { Logger } from '../platform/logging.ts';
import type { Outbox } from '../platform/mail/outbox.ts';
import type { Encryptor } from '../platform/encryption.ts';

/** The bank of each rail; null where there is none. Nobody tops up a simulation. */
type FundingBanks = Readonly<Record<Exclude<Rail, 'simulated'>, BankFunding | null>>;

interface ActivityRecord extends PartnerContext {
  id: string;
  action: string;
  status: number | null;
  by: string;
  detail: string | null;
}

/** What mails are told by, in a transaction of the partner's. */
export interface NotifyDeps {
  outbox: Pick<Outbox, 'post'>;
  /** Who is written to where the partner has named nobody. */
  listAdmins: (tx: Transaction) => Promise<string[]>;
  /** Where a mail sends its reader; null where there is no dashboard. */
  dashboardUrl: string | null;
}

/** What looking after top-ups takes. */
export interface FundingDeps extends NotifyDeps {
  pool: Pool;
  calls: SingleCalls;
  clock: Clock;
  logger: Logger;
  encryptor: Encryptor;
  banks: FundingBanks;
  /** The partner's own list of what happened. */
  recordActivity: (tx: Transaction, record: ActivityRecord) => Promise<void>;
}
