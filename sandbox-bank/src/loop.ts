import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from './log.ts';

export interface Loop {
  /** Waits for the turn that is under way. */
  stop(): Promise<void>;
}

/**
 * Does a piece of work again and again, with a pause in between. A turn that fails is logged; what it did not do is
 * still in the database, and the next turn finds it there.
 */
export function startLoop(name: string, everyMs: number, log: Log, turn: () => Promise<void>): Loop {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await turn().catch((error: unknown) => log('loop.failed', { loop: name, reason: String(error) }));
      await wait(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const done = run();
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
