import { readInPages } from '../../platform/read-in-pages.ts';
import { beginMove } from './begin-move.ts';
import type { FloatDeps } from './deps.ts';
import { lowBelow, sweepAbove } from './float-policy.ts';
import { followMove } from './follow-move.ts';
import { foldHouseChanges, listFloatGaps, listOpenMoves, stopAfterLosses } from './store.ts';

const atOnce = 100;
/** A move that the bank refused is not begun again for an hour: the reason seldom goes away by itself. */
const retryAfterMs = 3_600_000;

/**
 * Keeps as much in each partner's bank wallet as the partner has: tops up what losses and debts took, and sweeps what gains
 * left. Then it looks after every move that is not at its end, also those of a process that died.
 */
export async function balanceFloats(deps: FloatDeps, signal: AbortSignal): Promise<void> {
  const { calls, clock, logger } = deps;
  await foldHouseChanges(calls);
  // An alarm: each further payout may lose money.
  if (await stopAfterLosses(calls, clock.now())) logger.error({ environment: 'live' }, 'float.losses_stopped_live');
  const toppedUp = await beginMoves(deps, signal);
  const open = readInPages(
    async (after) => listOpenMoves(calls, { after, atMost: atOnce }),
    ({ id }) => id,
  );
  for await (const move of open) {
    // Another worker has the job by now.
    if (signal.aborted) return;
    await followMove(deps, move).catch((error: unknown) => {
      const line = { partner_id: move.of.partnerId, environment: move.of.environment };
      logger.error({ ...line, error }, 'float.not_followed');
    });
  }
  for (const rail of toppedUp) await warnIfLow(deps, rail);
}

type RailAtBank = keyof FloatDeps['floats'];

/** The rails on which something was topped up. */
async function beginMoves(deps: FloatDeps, signal: AbortSignal): Promise<Set<RailAtBank>> {
  const { calls, clock, floats, banks } = deps;
  const retrySince = new Date(clock.now().getTime() - retryAfterMs);
  const toppedUp = new Set<RailAtBank>();
  const gaps = readInPages(
    async (after) => listFloatGaps(calls, { after, atMost: atOnce, sweepAbove, retrySince }),
    ({ partnerId }) => partnerId,
  );
  for await (const gap of gaps) {
    if (signal.aborted) break;
    if (floats[gap.rail] === null || banks[gap.rail] === null) continue;
    const move = await beginMove(deps, gap);
    if (move?.kind === 'top_up') toppedUp.add(gap.rail);
  }
  return toppedUp;
}

/** An alarm: soon there is nothing left to top up from. */
export async function warnIfLow({ banks, floats, logger }: FloatDeps, rail: RailAtBank): Promise<void> {
  const float = floats[rail];
  if (float === null) return;
  const holds = (await banks[rail]?.readBalance(float)) ?? null;
  const environment = rail === 'provider_production' ? 'live' : 'sandbox';
  if (holds !== null && holds < lowBelow) logger.error({ environment }, 'float.low');
}
