import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from '../platform/database/pool.ts';
import type { Failpoint } from '../platform/failpoint.ts';
import type { Logger } from '../platform/logging.ts';
import { deleteRows, listPartnerTables, openPartner, takeOverArrival } from './cell-store.ts';
import { advanceMove, beginAbort, getMove, MoveTaken, releasePartner, switchPartner } from './directory-store.ts';
import { moveLimits, type MoveLimits } from './limits.ts';
import {
  canAbort,
  isHeldIn,
  isMoveStep,
  MoveRefused,
  stepAfter,
  type MoveState,
  type MoveStep,
  type PartnerMove,
} from './move.ts';
import { steps, type StepDeps } from './move-steps.ts';

export interface MoverDeps {
  directory: Pool;
  /** As kelpie_mover. A statement is short of time while requests are held. */
  cell: (name: string, pace: 'unhurried' | 'request') => Pool;
  logger: Logger;
  failpoint: Failpoint;
  limits?: MoveLimits;
}

interface Moving extends StepDeps {
  /** For what is done while requests are held. */
  held: Pick<StepDeps, 'from' | 'to'>;
  limits: MoveLimits;
}

/**
 * The partner works on where it was before anything else is done. Then what has arrived is deleted, which needs the other cell.
 */
async function abort({ directory, to, held, failpoint }: Moving, move: PartnerMove): Promise<PartnerMove> {
  await openPartner(held.from, move);
  const released = await releasePartner(directory, move, 'abort');
  await failpoint('abort.released');
  if (await takeOverArrival(to, move))
    for (const { name } of await listPartnerTables(to)) await deleteRows(to, name, move);
  await openPartner(to, move);
  return advanceMove(directory, released, 'aborted');
}

async function takeStep(moving: Moving, move: PartnerMove, step: MoveStep): Promise<PartnerMove> {
  const { directory, failpoint, held, logger } = moving;
  const next = stepAfter(step);
  const startedAt = performance.now();
  // What an earlier mover has under way at the other cell is refused from now on.
  await takeOverArrival(held.to, move);
  await failpoint(`${step}.begun`);
  if (step !== 'switch' && step !== 'release')
    await steps[step](isHeldIn(step) ? { ...moving, ...held } : moving, move);
  await failpoint(`${step}.done`);
  const advance = step === 'switch' ? switchPartner : step === 'release' ? releasePartner : advanceMove;
  const advanced = await advance(directory, move, next);
  const duration = Math.round(performance.now() - startedAt);
  logger.info({ partner_id: move.partnerId, action: step, duration_ms: duration }, 'move.step');
  return advanced;
}

/** What is under way past the deadline is not waited for. It can write nothing more once the move is at another attempt. */
async function within<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  const ended = new AbortController();
  const late = wait(ms, undefined, { signal: ended.signal }).then(() => {
    throw new MoveRefused(`it took longer than ${Math.round(ms)} ms`);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    ended.abort();
  }
}

function deadlineMs({ limits }: Moving, { heldMs, state }: PartnerMove, step: MoveStep): number {
  const ownMs = limits.stepMs[step];
  return canAbort(state) && heldMs !== null ? Math.min(ownMs, limits.heldMs - heldMs) : ownMs;
}

/** One step further. */
async function proceed(moving: Moving, move: PartnerMove): Promise<PartnerMove> {
  const { state } = move;
  if (state === 'abort') return abort(moving, move);
  if (!isMoveStep(state)) throw new Error('a move that has ended goes no further');
  return within(deadlineMs(moving, move, state), async () => takeStep(moving, move, state));
}

/** Where the move goes on after a failure: up to the switch back to the old cell, after it once more forward. */
async function goBack({ directory }: Moving, move: PartnerMove): Promise<PartnerMove> {
  const recorded = await getMove(directory, move);
  // A step may be recorded although no answer said so: the switch, above all.
  return recorded.state === move.state && canAbort(recorded.state) ? beginAbort(directory, recorded) : recorded;
}

function hasEnded(state: MoveState): boolean {
  return state === 'done' || state === 'aborted';
}

/** Whatever fails up to the switch, the partner is given back. Giving back, and what follows the switch, is tried again for a time. */
async function runSteps(moving: Moving, claimed: PartnerMove, stopBefore: MoveStep | null): Promise<PartnerMove> {
  const { limits, logger } = moving;
  let move = claimed;
  const failure: { since: number | null; isAnswered: boolean } = { since: null, isAnswered: true };
  while (!hasEnded(move.state) && move.state !== stopBefore) {
    try {
      if (failure.isAnswered) {
        move = await proceed(moving, move);
        failure.since = null;
      } else {
        move = await goBack(moving, move);
        failure.isAnswered = true;
      }
    } catch (error) {
      if (error instanceof MoveTaken) throw error;
      logger.warn({ partner_id: move.partnerId, action: move.state, error }, 'move.failed');
      const { since } = failure;
      if (since !== null && performance.now() - since > limits.againForMs) throw error;
      // The first time at once: requests may be held.
      if (since !== null) await wait(limits.pauseMs);
      failure.since = since ?? performance.now();
      failure.isAnswered = false;
    }
  }
  return move;
}

/** Until it is done or aborted, or before the step `stopBefore`. */
export async function runMove(
  deps: MoverDeps,
  claimed: PartnerMove,
  stopBefore: MoveStep | null = null,
): Promise<PartnerMove> {
  const { directory, cell, logger, failpoint, limits = moveLimits } = deps;
  const at = (pace: 'unhurried' | 'request') => ({
    from: cell(claimed.fromCell, pace),
    to: cell(claimed.toCell, pace),
  });
  const moving = { directory, logger, failpoint, limits, ...at('unhurried'), held: at('request') };
  return runSteps(moving, claimed, stopBefore);
}
