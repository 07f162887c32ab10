import { listEnvironmentsAtBanks, type EnvironmentAtBank } from '../partners/index.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import { inParallel } from '../platform/in-parallel.ts';
import { cutOffAt } from './cut-off.ts';
import type { ReconciliationDeps } from './deps.ts';
import { takeOverProgress, TakenOver } from './keep-progress.ts';
import { reconcileEnvironment, recordTrouble, type EnvironmentResult } from './reconcile-environment.ts';
import { findEnvironment, findUnfinishedRun, finishRun, insertRun, type Run, type RunState } from './store.ts';

interface RunOptions {
  askedBy: string;
  /** Only this partner's environments. */
  partnerId?: string;
  /** Compare from here on; null for all there is. Without it, from where the last run left off. */
  from?: Date | null;
  dryRun?: boolean;
  /** Goes on with a run that was killed, where there is one, and can be gone on with itself. */
  isResumed?: boolean;
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

/**
 * Each reads one page of the bank at a time. Of the 128 calls that a process may have under way at a bank, payouts keep the
 * rest; where the bank is late and has only four, reading takes turns with them.
 */
const environmentsAtOnce = 4;

/**
 * Our books against every bank's records, some partners at a time. Safe to repeat, to kill, and to run beside another. What
 * goes wrong with one partner is no reason not to compare the next.
 */
export async function runReconciliation(deps: ReconciliationDeps, options: RunOptions): Promise<RunReport> {
  const { pool, clock } = deps;
  const { partnerId = null, dryRun = false } = options;
  const run = await beginRun(deps, options);
  let sum = nothing;
  const wanted = listWanted(deps, partnerId);
  await inParallel(wanted, environmentsAtOnce, async (partnerEnvironment) => {
    options.signal?.throwIfAborted();
    const result =
      (await findDone(deps, run, partnerEnvironment, options)) ??
      (await reconcileOne(deps, run, partnerEnvironment, options));
    options.onEnvironment?.(partnerEnvironment, result);
    sum = add(sum, result);
  });
  const state = stateOf(sum, run);
  if (!dryRun) await inTransaction(pool, 'shared', async (tx) => finishRun(tx, run.id, { state, at: clock.now() }));
  return { run, ...sum, state };
}

async function* listWanted({ calls }: ReconciliationDeps, partnerId: string | null): AsyncGenerator<EnvironmentAtBank> {
  for await (const partnerEnvironment of listEnvironmentsAtBanks(calls))
    if (partnerId === null || partnerEnvironment.partnerId === partnerId) yield partnerEnvironment;
}

/** A run that is older than this is not gone on with: its cut-off is yesterday's. */
const longestRunMs = 24 * 60 * 60_000;

async function beginRun({ pool, clock }: ReconciliationDeps, options: RunOptions): Promise<Run> {
  const { askedBy, partnerId = null, from = null, dryRun = false, isResumed = false } = options;
  const startedAt = clock.now();
  const fresh = { id: newId(clock), askedBy, startedAt, cutOff: cutOffAt(startedAt), partnerId, from };
  if (dryRun) return fresh;
  return inTransaction(pool, 'shared', async (tx) => {
    const since = new Date(startedAt.getTime() - longestRunMs);
    const killed = isResumed ? await findUnfinishedRun(tx, { askedBy, since }) : null;
    if (killed === null) await insertRun(tx, fresh);
    return killed ?? fresh;
  });
}

/** What an earlier attempt at this run has found of a partner, before it was killed. */
async function findDone(
  { pool }: ReconciliationDeps,
  run: Run,
  partnerEnvironment: EnvironmentAtBank,
  { isResumed = false }: RunOptions,
): Promise<EnvironmentResult | null> {
  if (!isResumed) return null;
  const findings = await inTransaction(pool, partnerEnvironment, async (tx) => findEnvironment(tx, run));
  return findings === null ? null : { ...findings, found: [] };
}

async function reconcileOne(
  deps: ReconciliationDeps,
  run: Run,
  partnerEnvironment: EnvironmentAtBank,
  { from, dryRun = false, isResumed = false, signal, onProgress }: RunOptions,
): Promise<EnvironmentResult> {
  const bank = deps.banks[partnerEnvironment.rail];
  const whose = { ...deps, partnerEnvironment, run };
  const comparing = { ...whose, signal, isDryRun: dryRun, everything: from === null, progress: null };
  const options = { from, onProgress: (lines: number) => onProgress?.(partnerEnvironment, lines) };
  if (bank === null) return recordTrouble(comparing, 'no bank is configured for it');
  try {
    const progress = isResumed ? await takeOverProgress(whose) : null;
    return await reconcileEnvironment({ ...comparing, progress, bank }, options);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof TakenOver) throw error;
    const line = { partner_id: partnerEnvironment.partnerId, environment: partnerEnvironment.environment };
    deps.logger.error({ ...line, error }, 'reconciliation.environment_failed');
    return recordTrouble(comparing, 'internal error; the log has the stack trace');
  }
}
