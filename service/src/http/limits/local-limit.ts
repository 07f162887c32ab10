import type { RateRule } from '../../platform/rate-limits/token-leases.ts';

/** A limit of one process that asks nothing of the database, for routes that must answer without it. */
export interface LocalLimit {
  /** Takes one token; says after how many seconds there is one again, or 0 where one was there. */
  take: (id: string) => number;
  /** The same without taking it. */
  waitSeconds: (id: string) => number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const mostRemembered = 10_000;

/** `now` in milliseconds, as `performance.now` gives them. */
export function createLocalLimit({ perSecond, burst }: RateRule, now: () => number): LocalLimit {
  const buckets = new Map<string, Bucket>();
  const filled = (id: string): Bucket => {
    const { tokens, at } = buckets.get(id) ?? { tokens: burst, at: now() };
    const next = now();
    return { tokens: Math.min(burst, tokens + ((next - at) * perSecond) / 1_000), at: next };
  };
  const secondsUntilOne = ({ tokens }: Bucket): number => (tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perSecond));
  return {
    take(id) {
      const bucket = filled(id);
      const wait = secondsUntilOne(bucket);
      // Behind all others, so that whoever asked last is forgotten last.
      buckets.delete(id);
      buckets.set(id, wait === 0 ? { ...bucket, tokens: bucket.tokens - 1 } : bucket);
      const [oldest] = buckets.keys();
      if (buckets.size > mostRemembered && oldest !== undefined) buckets.delete(oldest);
      return wait;
    },
    waitSeconds: (id) => secondsUntilOne(filled(id)),
  };
}
