import { setTimeout as wait } from 'node:timers/promises';
import { matchEvents } from './match-events.ts';
import type { Logger } from '../../platform/logging.ts';
import type { PayoutDeps } from './deps.ts';
import { resumePayout } from './resume-payout.ts';
import { leaseMs } from './schedules.ts';
import { claimDuePayouts, type PayoutLease } from '../records/lease-store.ts';

const everyMs = 200;
/** As many banks' answers as one worker waits for at a time. */
const mostInHand = 32;

export interface Sweep {
  /** Takes no more, and waits for what is in hand. */
  stop(): Promise<void>;
}

/** Turn after turn until it is stopped. What fails is told, and tried again in the next turn. */
async function repeat(turn: () => Promise<void>, logger: Logger, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    await turn().catch((error: unknown) => logger.error({ error }, 'sweep.failed'));
    await wait(everyMs, undefined, { signal: stopped }).catch(() => undefined);
  }
}

/** Looks after open payouts, of all partners, until it is stopped. Any number of workers do so side by side. */
export function startSweep(deps: PayoutDeps): Sweep {
  const { logger } = deps;
  const stopping = new AbortController();
  const inHand = new Set<Promise<void>>();

  const resume = async (open: PayoutLease): Promise<void> => {
    try {
      await resumePayout(deps, open);
    } catch (error) {
      // Its lease runs out, and it is taken again: later each time.
      logger.error({ payout_id: open.payoutId, error }, 'payout.not_resumed');
    }
  };
  const takeSome = async (): Promise<boolean> => {
    const most = mostInHand - inHand.size;
    if (most === 0) return false;
    const taken = await claimDuePayouts(deps.calls, { now: deps.clock.now(), leaseMs, most });
    for (const open of taken) {
      const work = resume(open).finally(() => inHand.delete(work));
      inHand.add(work);
    }
    return taken.length === most;
  };
  const takeAll = async (): Promise<void> => {
    while (!stopping.signal.aborted && (await takeSome())) await Promise.race(inHand);
  };
  // Side by side: what takes the bank long in one must not keep the other from its turn.
  const ended = Promise.all(
    [takeAll, async () => matchEvents(deps)].map(async (turn) => repeat(turn, logger, stopping.signal)),
  );
  return {
    async stop() {
      stopping.abort();
      await ended;
      await Promise.all(inHand);
    },
  };
}
