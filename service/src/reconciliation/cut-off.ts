const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/**
 * What was final this long before a run is compared by it. Webhooks come within seconds; where all are lost, payouts are asked
 * about within five minutes and deposits within a quarter of an hour.
 */
const graceMs = 20 * minuteMs;

/**
 * Lines are compared again for so long, since they change after they were compared: what was under way arrives, and what
 * arrived comes back. What changes later still moves the balance, which is always compared whole.
 */
const windowMs = 7 * dayMs;

/** The bank's clock may be off ours by this much. */
export const clockSkewMs = 5 * minuteMs;

/** The lines that a run compares. */
export interface Window {
  /** Null for all there are. */
  from: Date | null;
  cutOff: Date;
}

export function cutOffAt(now: Date): Date {
  return new Date(now.getTime() - graceMs);
}

/** From where a run compares lines, after one that compared all of them up to an instant; null where there was none. */
export function beginAfter(comparedUpto: Date | null, cutOff: Date): Date | null {
  if (comparedUpto === null) return null;
  return new Date(Math.min(comparedUpto.getTime(), cutOff.getTime() - windowMs));
}
