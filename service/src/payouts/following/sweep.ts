import { setTimeout as wait } from 'node:timers/promises';
import { matchEvents } from './match-events.ts';
import type { PayoutParts } from '../parts.ts';
import { resumePayout } from './resume-payout.ts';
import { leaseMs } from './schedules.ts';
import { takeOpenPayouts, type OpenPayout } from '../store.ts';

const everyMs = 200;
/** As many banks' answers as one worker waits for at a time. */
const mostInHand = 32;

export interface Sweep {
  /** Takes no more, and waits for what is in hand. */
  stop(): Promise<void>;
}

/** Looks after open payouts, of all partners, until it is stopped. Any number of workers do so side by side. */
export function startSweep(parts: PayoutParts): Sweep {
  const { logger } = parts;
  const stopping = new AbortController();
  const inHand = new Set<Promise<void>>();

  const resume = async (open: OpenPayout): Promise<void> => {
    try {
      await resumePayout(parts, open);
    } catch (error) {
      // Its lease runs out, and it is taken again: later each time.
      logger.error({ payout_id: open.payoutId, error }, 'payout.not_resumed');
    }
  };
  const takeSome = async (): Promise<boolean> => {
    const most = mostInHand - inHand.size;
    if (most === 0) return false;
    const taken = await takeOpenPayouts(parts.calls, { now: parts.clock.now(), leaseMs, most });
    for (const open of taken) {
      const work = resume(open).finally(() => inHand.delete(work));
      inHand.add(work);
    }
    return taken.length === most;
  };
  const turn = async (): Promise<void> => {
    try {
      while (!stopping.signal.aborted && (await takeSome())) await Promise.race(inHand);
      await matchEvents(parts);
    } catch (error) {
      logger.error({ error }, 'sweep.failed');
    }
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await turn();
      await wait(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const ended = run();
  return {
    async stop() {
      stopping.abort();
      await ended;
      await Promise.all(inHand);
    },
  };
}
