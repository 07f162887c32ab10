import { inTransaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import { cutOffAt } from './cut-off.ts';
import type { ReconciliationDeps } from './deps.ts';
import { reconcileSide, recordTrouble, type SideResult } from './reconcile-side.ts';
import { finishRun, insertRun, listSidesAtBanks, type Run, type RunState, type SideAtBank } from './store.ts';

interface RunOptions {
  askedBy: string;
  /** Only this partner's sides. */
  partnerId?: string;
  /** Compare from here on; null for all there is. Without it, from where the last run left off. */
  from?: Date | null;
  dryRun?: boolean;
  signal?: AbortSignal;
  onSide?: (side: SideAtBank, result: SideResult) => void;
  onProgress?: (side: SideAtBank, lines: number) => void;
}

export interface RunReport {
  run: Run;
  state: RunState;
  sides: number;
  transfers: number;
  deposits: number;
  inFlight: number;
  differences: number;
  known: number;
  /** Sides that could not be compared wholly. */
  incomplete: number;
}

const partnersAtOnce = 100;
const firstId = '00000000-0000-0000-0000-000000000000';

async function* sidesAtBanks({ calls }: ReconciliationDeps, partnerId?: string): AsyncGenerator<SideAtBank> {
  let afterPartner = firstId;
  for (;;) {
    const sides = await listSidesAtBanks(calls, { afterPartner, atMost: partnersAtOnce });
    const last = sides.at(-1);
    if (last === undefined) return;
    yield* sides.filter((side) => partnerId === undefined || side.partnerId === partnerId);
    afterPartner = last.partnerId;
  }
}

function stateOf({ sides, incomplete, differences, known }: Omit<RunReport, 'run' | 'state'>, run: Run): RunState {
  // A partner that was asked for and is at no bank was not compared.
  if (incomplete > 0 || (sides === 0 && run.partnerId !== null)) return 'incomplete';
  return differences > known ? 'differences' : 'clean';
}

const nothing = { sides: 0, transfers: 0, deposits: 0, inFlight: 0, differences: 0, known: 0, incomplete: 0 };

function add(sum: typeof nothing, result: SideResult): typeof nothing {
  return {
    sides: sum.sides + 1,
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
  for await (const side of sidesAtBanks(deps, options.partnerId)) {
    options.signal?.throwIfAborted();
    const result = await reconcileOne(deps, run, side, options);
    options.onSide?.(side, result);
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
  side: SideAtBank,
  { from, dryRun = false, signal, onProgress }: RunOptions,
): Promise<SideResult> {
  const bank = deps.banks[side.rail];
  const comparing = { ...deps, side, run, signal };
  const options = { from, dryRun, onProgress: (lines: number) => onProgress?.(side, lines) };
  if (bank === null) return recordTrouble(comparing, 'no bank is configured for it', options);
  try {
    return await reconcileSide({ ...comparing, bank }, options);
  } catch (error) {
    signal?.throwIfAborted();
    const line = { partner_id: side.partnerId, environment: side.environment };
    deps.logger.error({ ...line, error }, 'reconciliation.side_failed');
    return recordTrouble(comparing, 'a fault of ours: the log says where in the code', options);
  }
}
