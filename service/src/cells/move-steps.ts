import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from '../platform/database/pool.ts';
import type { Failpoint } from '../platform/failpoint.ts';
import type { Logger } from '../platform/logging.ts';
import {
  closePartner,
  copySharedRows,
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
import { compareSettled, compareTheRest } from './compare-rows.ts';
import { copyTheRest, copyWhileOpen } from './copy-rows.ts';
import { countRoutersBehind, holdPartner, savePosition } from './directory-store.ts';
import { MoveRefused, type MoveStep, type PartnerMove } from './move.ts';

/** What a step works with. */
export interface StepDeps {
  directory: Pool;
  from: Pool;
  to: Pool;
  logger: Logger;
  failpoint: Failpoint;
}

const pollMs = 20;
const routersWithinMs = 5_000;
const transactionsWithinMs = 3_000;

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
async function prepare({ from, to }: StepDeps, move: PartnerMove): Promise<void> {
  if (await takeOverArrival(to, move)) return;
  const [ours, theirs] = [await readShape(from), await readShape(to)];
  if (ours !== theirs) throw new MoveRefused('the cells have different schemas');
  refuseWhere(await listObstaclesToLeave(from, move.partnerId));
  refuseWhere(await listObstaclesToArrive(to, move.partnerId, await findFirstEntryAt(from, move.partnerId)));
  await closePartner(to, move, 'arriving');
  await copySharedRows(from, to, move.partnerId);
}

async function copy({ from, to, directory, logger, failpoint }: StepDeps, move: PartnerMove): Promise<void> {
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

async function compare({ from, to }: StepDeps, move: PartnerMove): Promise<void> {
  refuseWhere(await compareSettled({ from, to, move, tables: await listPartnerTables(from) }));
}

/** Routers first: what they have passed on ends, or is cut off, before the partner is closed. */
async function hold({ directory }: StepDeps, move: PartnerMove): Promise<void> {
  await holdPartner(directory, move);
  await until(
    'a router did not hold back',
    routersWithinMs,
    async () => (await countRoutersBehind(directory, move.partnerId)) === 0,
  );
}

/** What was read before the partner was closed may still be written: those transactions are waited for. */
async function freeze({ from }: StepDeps, move: PartnerMove): Promise<void> {
  await closePartner(from, move, 'leaving');
  const before = new Set(await listRunningTransactions(from));
  await until('a transaction did not end', transactionsWithinMs, async () => {
    const now = await listRunningTransactions(from);
    return !now.some((id) => before.has(id));
  });
}

async function catchUp({ from, to, logger }: StepDeps, move: PartnerMove): Promise<void> {
  await copySharedRows(from, to, move.partnerId);
  const rows = await copyTheRest({ from, to, move, tables: await listPartnerTables(from) });
  logger.info({ partner_id: move.partnerId, rows }, 'move.caught_up');
}

async function verify({ from, to }: StepDeps, move: PartnerMove): Promise<void> {
  const [different, wrong] = await Promise.all([
    compareTheRest({ from, to, move, tables: await listPartnerTables(from) }),
    judgeRows(to, move.partnerId),
  ]);
  refuseWhere([...different, ...wrong]);
}

/** A step is safe to repeat: a mover that was killed does it again. */
export const steps: Readonly<
  Record<Exclude<MoveStep, 'switch' | 'release'>, (moving: StepDeps, move: PartnerMove) => Promise<void>>
> = {
  prepare,
  copy,
  compare,
  hold,
  freeze,
  catch_up: catchUp,
  verify,
  close: async ({ from }, move) => closePartner(from, move, 'gone'),
  thaw: async ({ to }, move) => openPartner(to, move),
};
