import { setTimeout as wait } from 'node:timers/promises';

export interface CallLimit {
  /** Waits for its turn. False where that did not come in time. */
  enter(withinMs: number): Promise<boolean>;
  /** `late`: we gave up on it while the bank was still at work. */
  leave(how: 'answered' | 'late' | 'failed'): void;
  /** As many wait for their turn as can have one at a time: who comes now would hardly be served. */
  isFull(): boolean;
}

/** A real bank answers in up to a second: this is the whole UK rail at that. */
const mostAtOnce = 128;
const fewAtOnce = 4;
/** Calls that were under way together are late together: they count once. */
const lateOnceInMs = 1_000;

/**
 * How many calls of one process a bank gets at a time. A bank that answers late has too many: it gets half as many, and one
 * more for each answer. Without it, all that waited for the end of an outage would be sent at once, be late, and be sent again.
 */
export function createCallLimit(): CallLimit {
  let limit = mostAtOnce;
  let underWay = 0;
  let lastLateAt = -Infinity;
  const waiting: (() => void)[] = [];

  const admit = (): void => {
    while (underWay < limit) {
      const next = waiting.shift();
      if (next === undefined) return;
      underWay += 1;
      next();
    }
  };
  return {
    async enter(withinMs) {
      if (underWay < limit && waiting.length === 0) {
        underWay += 1;
        return true;
      }
      const turn = Promise.withResolvers<boolean>();
      const onTurn = (): void => turn.resolve(true);
      waiting.push(onTurn);
      const ended = new AbortController();
      void wait(withinMs, undefined, { signal: ended.signal }).then(
        () => {
          const at = waiting.indexOf(onTurn);
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
    leave(how) {
      underWay -= 1;
      const now = performance.now();
      if (how === 'answered') limit = Math.min(mostAtOnce, limit + 1);
      if (how === 'late' && now - lastLateAt >= lateOnceInMs) {
        lastLateAt = now;
        limit = Math.max(fewAtOnce, Math.floor(limit / 2));
      }
      admit();
    },
    isFull: () => waiting.length >= limit,
  };
}
