import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from '../platform/database/pool.ts';
import type { Failpoint } from '../platform/failpoint.ts';
import type { Logger } from '../platform/logging.ts';
import {
  closePartner,
  copySharedRows,
  deleteRows,
  digestRows,
  findFirstEntryAt,
  judgeRows,
  listObstaclesToArrive,
  listObstaclesToLeave,
  listPartnerTables,
  listRunningTransactions,
  openPartner,
  readShape,
  takeOverArrival,
} from './cell-store.ts';
import { copyTheRest, copyWhileOpen, ofEach } from './copy-rows.ts';
import {
  advanceMove,
  beginAbort,
  countRoutersBehind,
  holdPartner,
  releasePartner,
  savePosition,
  switchPartner,
} from './directory-store.ts';
import { canAbort, isMoveStep, MoveRefused, stepAfter, type PartnerMove, type MoveStep } from './move.ts';

export interface MoverDeps {
  directory: Pool;
  /** As kelpie_mover. */
  cell: (name: string) => Pool;
  logger: Logger;
  failpoint: Failpoint;
}

interface Moving extends MoverDeps {
  from: Pool;
  to: Pool;
}

const pollMs = 20;
const routersWithinMs = 5_000;
const transactionsWithinMs = 3_000;
/** A partner that cannot be moved within this goes on where it was. */
const mostHeldMs = 20_000;

async function until(what: string, withinMs: number, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new MoveRefused(`${what} within ${withinMs} ms`);
    await wait(pollMs);
  }
}

function refuseWhere(obstacles: readonly string[]): void {
  if (obstacles.length > 0) throw new MoveRefused(obstacles.join('; '));
}

/** Nothing is written before it is known that the partner can arrive: an abort deletes what has arrived. */
async function prepare({ from, to }: Moving, move: PartnerMove): Promise<void> {
  if (await takeOverArrival(to, move)) return;
  const [ours, theirs] = [await readShape(from), await readShape(to)];
  if (ours !== theirs) throw new MoveRefused('the cells have different schemas');
  refuseWhere(await listObstaclesToLeave(from, move.partnerId));
  refuseWhere(await listObstaclesToArrive(to, move.partnerId, await findFirstEntryAt(from, move.partnerId)));
  await closePartner(to, move, 'arriving');
  await copySharedRows(from, to, move.partnerId);
}

async function copy({ from, to, directory, logger, failpoint }: Moving, move: PartnerMove): Promise<void> {
  const { rows } = await copyWhileOpen({
    from,
    to,
    move,
    tables: await listPartnerTables(from),
    async onPage(position) {
      await savePosition(directory, move, position);
      await failpoint('copy.page');
    },
  });
  logger.info({ partner_id: move.partnerId, rows }, 'move.copied');
}

/** Routers first: what they have passed on ends, or is cut off, before the partner is closed. */
async function hold({ directory }: Moving, move: PartnerMove): Promise<void> {
  await holdPartner(directory, move);
  await until(
    'a router did not hold back',
    routersWithinMs,
    async () => (await countRoutersBehind(directory, move.partnerId)) === 0,
  );
}

/** What was read before the partner was closed may still be written: those transactions are waited for. */
async function freeze({ from }: Moving, move: PartnerMove): Promise<void> {
  await closePartner(from, move, 'leaving');
  const before = new Set(await listRunningTransactions(from));
  await until('a transaction did not end', transactionsWithinMs, async () => {
    const now = await listRunningTransactions(from);
    return !now.some((id) => before.has(id));
  });
}

async function catchUp({ from, to, logger }: Moving, move: PartnerMove): Promise<void> {
  await copySharedRows(from, to, move.partnerId);
  const rows = await copyTheRest({ from, to, move, tables: await listPartnerTables(from) });
  logger.info({ partner_id: move.partnerId, rows }, 'move.caught_up');
}

async function verify({ from, to }: Moving, move: PartnerMove): Promise<void> {
  const { partnerId } = move;
  const different: string[] = [];
  const judging = judgeRows(to, partnerId);
  await ofEach(await listPartnerTables(from), async ({ name }) => {
    const [here, there] = await Promise.all([digestRows(from, name, partnerId), digestRows(to, name, partnerId)]);
    if (here !== there) different.push(`${name}: ${here} and ${there}`);
  });
  refuseWhere([...different, ...(await judging)]);
}

/** A step is safe to repeat: a mover that was killed does it again. */
const steps: Readonly<
  Record<Exclude<MoveStep, 'switch' | 'release'>, (moving: Moving, move: PartnerMove) => Promise<void>>
> = {
  prepare,
  copy,
  hold,
  freeze,
  catch_up: catchUp,
  verify,
  close: async ({ from }, move) => closePartner(from, move, 'gone'),
  thaw: async ({ to }, move) => openPartner(to, move),
};

/** The partner works on where it was before what has arrived is deleted. */
async function abort({ directory, from, to, failpoint }: Moving, move: PartnerMove): Promise<PartnerMove> {
  await openPartner(from, move);
  const released = await releasePartner(directory, move, 'abort');
  await failpoint('abort.released');
  if (await takeOverArrival(to, move))
    for (const { name } of await listPartnerTables(to)) await deleteRows(to, name, move);
  await openPartner(to, move);
  return advanceMove(directory, released, 'aborted');
}

async function takeStep(moving: Moving, move: PartnerMove, step: MoveStep): Promise<PartnerMove> {
  const { directory, failpoint } = moving;
  const next = stepAfter(step);
  const startedAt = performance.now();
  await failpoint(`${step}.begun`);
  if (step !== 'switch' && step !== 'release') await steps[step](moving, move);
  await failpoint(`${step}.done`);
  const advance = step === 'switch' ? switchPartner : step === 'release' ? releasePartner : advanceMove;
  const advanced = await advance(directory, move, next);
  const duration = Math.round(performance.now() - startedAt);
  moving.logger.info({ partner_id: move.partnerId, action: step, duration_ms: duration }, 'move.step');
  return advanced;
}

/** One step further, or to the abort where the step cannot be done. */
async function proceed(moving: Moving, move: PartnerMove): Promise<PartnerMove> {
  if (move.state === 'abort') return abort(moving, move);
  if (!isMoveStep(move.state)) throw new Error('a move that has ended goes no further');
  try {
    if (canAbort(move.state) && (move.heldMs ?? 0) > mostHeldMs) throw new MoveRefused('it was held for too long');
    return await takeStep(moving, move, move.state);
  } catch (error) {
    if (!(error instanceof MoveRefused) || !canAbort(move.state)) throw error;
    moving.logger.warn({ partner_id: move.partnerId, action: move.state, error }, 'move.refused');
    return beginAbort(moving.directory, move);
  }
}

/** Until it is done or aborted, or before the step `stopBefore`. */
export async function runMove(
  deps: MoverDeps,
  claimed: PartnerMove,
  stopBefore: MoveStep | null = null,
): Promise<PartnerMove> {
  const moving = { ...deps, from: deps.cell(claimed.fromCell), to: deps.cell(claimed.toCell) };
  let move = claimed;
  // What an earlier mover has under way at the other cell is refused from now on.
  await takeOverArrival(moving.to, move);
  while (move.state !== 'done' && move.state !== 'aborted' && move.state !== stopBefore)
    move = await proceed(moving, move);
  return move;
}
