import { listEnvironmentsAtBanks, type EnvironmentAtBank } from '../partners/index.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import { cutOffAt } from './cut-off.ts';
import type { ReconciliationDeps } from './deps.ts';
import { reconcileEnvironment, recordTrouble, type EnvironmentResult } from './reconcile-environment.ts';
import { finishRun, insertRun, type Run, type RunState } from './store.ts';

interface RunOptions {
  askedBy: string;
  /** Only this partner's environments. */
  partnerId?: string;
  /** Compare from here on; null for all there is. Without it, from where the last run left off. */
  from?: Date | null;
  dryRun?: boolean;
  signal?: AbortSignal;
  onEnvironment?: (partnerEnvironment: EnvironmentAtBank, result: EnvironmentResult) => void;
  onProgress?: (partnerEnvironment: EnvironmentAtBank, lines: number) => void;
}

export interface RunReport {
  run: Run;
  state: RunState;
  environments: number;
  transfers: number;
  deposits: number;
  inFlight: number;
  differences: number;
  known: number;
  /** Partner environments that could not be compared wholly. */
  incomplete: number;
}

function stateOf(
  { environments, incomplete, differences, known }: Omit<RunReport, 'run' | 'state'>,
  run: Run,
): RunState {
  // A partner that was asked for and is at no bank was not compared.
  if (incomplete > 0 || (environments === 0 && run.partnerId !== null)) return 'incomplete';
  return differences > known ? 'differences' : 'clean';
}

const nothing = { environments: 0, transfers: 0, deposits: 0, inFlight: 0, differences: 0, known: 0, incomplete: 0 };

function add(sum: typeof nothing, result: EnvironmentResult): typeof nothing {
  return {
    environments: sum.environments + 1,
    transfers: sum.transfers + result.transfers,
    deposits: sum.deposits + result.deposits,
    inFlight: sum.inFlight + result.inFlight,
    differences: sum.differences + result.differences,
    known: sum.known + result.known,
    incomplete: sum.incomplete + (result.trouble === null ? 0 : 1),
  };
}

/** Our books against every bank's records, one partner after the other. Safe to repeat, to kill, and to run beside another. */
export async function runReconciliation(deps: ReconciliationDeps, options: RunOptions): Promise<RunReport> {
  const { pool, clock } = deps;
  const { askedBy, partnerId = null, from = null, dryRun = false } = options;
  const startedAt = clock.now();
  const run = { id: newId(clock), askedBy, startedAt, cutOff: cutOffAt(startedAt), partnerId, from };
  if (!dryRun) await inTransaction(pool, 'shared', async (tx) => insertRun(tx, run));
  let sum = nothing;
  for await (const partnerEnvironment of listEnvironmentsAtBanks(deps.calls)) {
    if (partnerId !== null && partnerEnvironment.partnerId !== partnerId) continue;
    options.signal?.throwIfAborted();
    const result = await reconcileOne(deps, run, partnerEnvironment, options);
    options.onEnvironment?.(partnerEnvironment, result);
    sum = add(sum, result);
  }
  const state = stateOf(sum, run);
  if (!dryRun) await inTransaction(pool, 'shared', async (tx) => finishRun(tx, run.id, { state, at: clock.now() }));
  return { run, ...sum, state };
}

/** What goes wrong with one partner is no reason not to compare the next. */
async function reconcileOne(
  deps: ReconciliationDeps,
  run: Run,
  partnerEnvironment: EnvironmentAtBank,
  { from, dryRun = false, signal, onProgress }: RunOptions,
): Promise<EnvironmentResult> {
  const bank = deps.banks[partnerEnvironment.rail];
  const comparing = { ...deps, partnerEnvironment, run, signal };
  const options = { from, dryRun, onProgress: (lines: number) => onProgress?.(partnerEnvironment, lines) };
  if (bank === null) return recordTrouble(comparing, 'no bank is configured for it', options);
  try {
    return await reconcileEnvironment({ ...comparing, bank }, options);
  } catch (error) {
    signal?.throwIfAborted();
    const line = { partner_id: partnerEnvironment.partnerId, environment: partnerEnvironment.environment };
    deps.logger.error({ ...line, error }, 'reconciliation.environment_failed');
    return recordTrouble(comparing, 'internal error; the log has the stack trace', options);
  }
}
