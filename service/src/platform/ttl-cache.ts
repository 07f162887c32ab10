/** Remembers what was looked up for a moment, and asks once for those who ask at the same time. */
export interface TtlCache<Value> {
  get(key: string, lookUp: () => Promise<Value>): Promise<Value>;
  /** Whoever asks from now on has it looked up anew. */
  forget(key: string): void;
}

interface Entry<Value> {
  until: number;
  value: Promise<Value>;
}

/** The oldest entries make room for new ones: a caller that makes up keys can't fill the memory. */
export function createTtlCache<Value>({ keepMs, most }: { keepMs: number; most: number }): TtlCache<Value> {
  const entries = new Map<string, Entry<Value>>();
  return {
    async get(key, lookUp) {
      const now = performance.now();
      const known = entries.get(key);
      if (known !== undefined && known.until > now) return known.value;
      entries.delete(key);
      const value = lookUp();
      const entry = { until: now + keepMs, value };
      entries.set(key, entry);
      const [oldest] = entries.keys();
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
      // What failed is not remembered; what another has found since is.
      value.catch(() => entries.get(key) === entry && entries.delete(key));
      return value;
    },
    forget: (key) => void entries.delete(key),
  };
}

/**
 * For what is counted over many rows: a caller that asks for it without a pause would keep the database from everybody
 * else. So it is counted once for all who ask within this time.
 */
export const countedCache = { keepMs: 1_000, most: 10_000 };

export function partnerKey({ partnerId, environment }: { partnerId: string; environment: string }): string {
  return `${partnerId} ${environment}`;
}
