import { setTimeout as wait } from 'node:timers/promises';

export interface CallLimit {
  /** Waits for its turn. False where that did not come in time. */
  enter(withinMs: number): Promise<boolean>;
  /** `late`: we gave up on it while the bank was still at work. */
  leave(how: 'answered' | 'late' | 'failed', tookMs: number): void;
  /** Who comes now would wait too long for its turn. */
  isFull(): boolean;
}

/** A real bank answers in up to a second: this is the whole UK rail at that. */
const mostAtOnce = 128;
const fewAtOnce = 4;
/** An answer that took longer says that the bank has enough to do. */
const quickMs = 1_000;
/** Calls that were under way together are late together: they count once. */
const lateOnceInMs = 1_000;
/** The first in the queue waits no longer than this while the queue is short enough. */
const longestWaitMs = 1_000;

interface Waiting {
  since: number;
  onTurn: () => void;
}

/**
 * How many calls of one process a bank gets at a time: half as many after a late answer, then one more for each quick answer,
 * or for each round of slow ones. Without it, all that waited for the end of an outage would be sent at once, be late, and
 * be sent again. `now` is a clock in milliseconds that never goes back.
 */
export function createCallLimit(now: () => number = () => performance.now()): CallLimit {
  let limit = mostAtOnce;
  let underWay = 0;
  let lastLateAt = -Infinity;
  const waiting: Waiting[] = [];

  const admit = (): void => {
    while (underWay < Math.floor(limit)) {
      const next = waiting.shift();
      if (next === undefined) return;
      underWay += 1;
      next.onTurn();
    }
  };
  return {
    async enter(withinMs) {
      if (underWay < Math.floor(limit) && waiting.length === 0) {
        underWay += 1;
        return true;
      }
      const turn = Promise.withResolvers<boolean>();
      const one: Waiting = { since: now(), onTurn: () => turn.resolve(true) };
      waiting.push(one);
      const ended = new AbortController();
      void wait(withinMs, undefined, { signal: ended.signal }).then(
        () => {
          const at = waiting.indexOf(one);
          if (at === -1) return;
          waiting.splice(at, 1);
          turn.resolve(false);
        },
        () => undefined,
      );
      const isIn = await turn.promise;
      ended.abort();
      return isIn;
    },
    leave(how, tookMs) {
      underWay -= 1;
      const at = now();
      if (how === 'answered') limit = Math.min(mostAtOnce, limit + (tookMs < quickMs ? 1 : 1 / limit));
      if (how === 'late' && at - lastLateAt >= lateOnceInMs) {
        lastLateAt = at;
        limit = Math.max(fewAtOnce, limit / 2);
      }
      admit();
    },
    isFull() {
      const [first] = waiting;
      return first !== undefined && (waiting.length >= mostAtOnce || now() - first.since >= longestWaitMs);
    },
  };
}
