/** In milliseconds since 1970: pgbench, the load generator and we read the same clock. */
export interface Window {
  fromMs: number;
  toMs: number;
}

export interface Counted {
  inWindow: number;
  p50Ms: number;
  p99Ms: number;
}

/** The machine stalled during a measurement. Its figures would say nothing about the program, so it is repeated. */
export class Disturbed extends Error {
  override readonly name = 'Disturbed';
}

/** Throws where nothing was done. */
export function requireSome(counted: Counted | null): Counted {
  if (counted === null) throw new Disturbed('nothing was done while it was measured');
  return counted;
}

/** When each request was done, and how long it took. */
export interface Completions {
  add(doneAtMs: number, tookMs: number): void;
  /** Null where nothing was done in it. */
  count(window: Window): Counted | null;
  /** All that were ever added, in a window or not. */
  total(): number;
}

const firstCapacity = 1 << 16;

function grow(old: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(old.length * 2);
  larger.set(old);
  return larger;
}

/** Of sorted values: the one that so many of a hundred do not exceed. Undefined where there is none. */
function percentile(sorted: Float64Array, percent: number): number | undefined {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)];
}

export function createCompletions(): Completions {
  let doneAt = new Float64Array(firstCapacity);
  let took = new Float64Array(firstCapacity);
  let added = 0;
  return {
    add(doneAtMs, tookMs) {
      if (added === took.length) [doneAt, took] = [grow(doneAt), grow(took)];
      doneAt[added] = doneAtMs;
      took[added] = tookMs;
      added += 1;
    },
    count({ fromMs, toMs }) {
      const sorted = took
        .subarray(0, added)
        .filter((_, at) => (doneAt[at] ?? 0) >= fromMs && (doneAt[at] ?? 0) < toMs)
        .toSorted();
      const [p50Ms, p99Ms] = [percentile(sorted, 50), percentile(sorted, 99)];
      return p50Ms === undefined || p99Ms === undefined ? null : { inWindow: sorted.length, p50Ms, p99Ms };
    },
    total: () => added,
  };
}
