import { setTimeout as wait } from 'node:timers/promises';
import type { WakeListener } from '../platform/wake-ups/wake-listener.ts';
import { createDeliverer, type DeliveryDeps } from './deliver.ts';

/** A retry or a probe may be due by now: nothing wakes a worker for those. */
const longestSleepMs = 2_000;
/** What becomes due after a claim is claimed together: a claim costs nearly the same for one as for ten. */
const pauseMs = 40;
const afterFailureMs = 1_000;
const finishWithinMs = 8_000;

export interface Delivering {
  stop(): Promise<void>;
}

/**
 * Sends what is due to partners' endpoints, until it is stopped. Every worker does, each what it has leased. `onRound` is called
 * each time that it could lease what is due.
 */
export function startDelivering(deps: DeliveryDeps & { wakeUps: WakeListener; onRound: () => void }): Delivering {
  const { calls, logger, wakeUps, onRound } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  let again = new AbortController();
  const deliverer = createDeliverer(deps, () => again.abort());
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      again = new AbortController();
      try {
        await calls.writeGate.untilOpen(signal);
        const hasMore = await deliverer.deliverDue();
        onRound();
        if (hasMore) continue;
        await wait(pauseMs, undefined, { signal });
        await wakeUps.until('numbered', longestSleepMs, AbortSignal.any([signal, again.signal]));
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ error }, 'webhook.not_delivered');
        await wait(afterFailureMs, undefined, { signal }).catch(() => undefined);
      }
    }
  };
  const done = run();
  return {
    async stop() {
      stopping.abort();
      await done;
      await deliverer.finish(finishWithinMs);
    },
  };
}
