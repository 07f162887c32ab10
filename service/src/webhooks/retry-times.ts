const firstRetryMs = 5_000;
const longestRetryMs = 8 * 60 * 60_000;
const longestProbeMs = 5 * 60_000;

function doubling(times: number, longestMs: number, random: () => number): number {
  // A quarter more or less: what failed together is not tried again together.
  return Math.min(longestMs, firstRetryMs * 2 ** Math.min(times, 20)) * (0.75 + random() / 2);
}

/** How long after its nth failed attempt a delivery is tried again: 5 s at first, then twice as long each time, up to 8 hours. */
export function retryAfterMs(attempt: number, random: () => number = Math.random): number {
  return doubling(attempt - 1, longestRetryMs, random);
}

/**
 * How long an endpoint that fails is left alone before the next probe. All that it has waiting goes out once a probe is answered, so
 * it is never long.
 */
export function probeAfterMs(failures: number, random: () => number = Math.random): number {
  return doubling(Math.max(0, failures - 5), longestProbeMs, random);
}
