import type { BankFunding, BankRecords } from '../banks/index.ts';
import type { EnvironmentAtBank } from '../partners/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { Encryptor } from '../platform/encryption.ts';
import type { Logger } from '../platform/logging.ts';
import type { ProgressKeeper } from './progress/transfer-progress.ts';
import type { Run } from './store.ts';

type ComparedBank = BankRecords & BankFunding;

/** What a reconciliation takes. */
export interface ReconciliationDeps {
  pool: Pool;
  calls: SingleCalls;
  clock: Clock;
  logger: Logger;
  /** The bank of each rail; null where none is configured. */
  banks: Readonly<Record<EnvironmentAtBank['rail'], ComparedBank | null>>;
  /** Opens which recipient a payout named; null where the data keys are not there, and recipients are not compared. */
  encryptor: Encryptor | null;
  /** Waits between two comparisons of a balance. */
  pause: (ms: number) => Promise<void>;
}

/** One partner environment, while it is compared. */
export interface Comparing extends ReconciliationDeps {
  bank: ComparedBank;
  partnerEnvironment: EnvironmentAtBank;
  run: Run;
  signal: AbortSignal | undefined;
  /** Looks, and writes nothing. */
  isDryRun: boolean;
  /** Trusts nothing that earlier runs have left. */
  everything: boolean;
  /** Where this run goes on after a kill; null for one that is not resumed. */
  progress: ProgressKeeper | null;
}

/** Something that a comparison needs is not to be had, as a rule from the bank: no word on what was not seen. */
export class BankSilent extends Error {
  override readonly name = 'BankSilent';
}
