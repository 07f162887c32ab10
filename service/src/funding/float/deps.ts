import type { Bank, BankRecords, BankWallet, BankWalletTransfers } from '../../banks/index.ts';
import type { Rail } from '../../partners/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { Logger } from '../../platform/logging.ts';

export type FloatBank = Pick<Bank, 'findPayment'> & BankRecords & BankWalletTransfers;

type RailAtBank = Exclude<Rail, 'simulated'>;

/** What moving the house's money to and from partners' bank wallets takes. */
export interface FloatDeps {
  pool: Pool;
  calls: SingleCalls;
  clock: Clock;
  logger: Logger;
  /** The bank of each rail; null where there is none. */
  banks: Readonly<Record<RailAtBank, FloatBank | null>>;
  /** Kelpie's own wallet at each of them; null where it has none, and nothing is moved. */
  floats: Readonly<Record<RailAtBank, BankWallet | null>>;
}
