const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * What was final this long before a run is compared by it. Webhooks come within seconds; where all are lost, payouts are asked
 * about within five minutes and deposits within a quarter of an hour.
 */
const graceMs = 20 * minuteMs;

/**
 * Transfers are compared again for so long after they were made: three times what Faster Payments takes at most. By then they
 * are final on both sides. The bank lists by itself what it changes later.
 */
const overlapMs = 6 * hourMs;

/** Deposits are few, and some change without a new line in the bank's list: they are compared again for a week. */
const depositsMs = 7 * dayMs;

/** Faster Payments returns money for up to 90 days. */
export const lateChangesMs = 100 * dayMs;

/** The bank's clock may be off ours by this much. */
export const clockSkewMs = 5 * minuteMs;

/** The lines that a run compares. */
export interface Window {
  /** Null for all there are. */
  from: Date | null;
  cutOff: Date;
}

/** The transfers among them, by when they were made; before that, those that the bank has changed since. */
export interface TransferWindow extends Window {
  /** Null where no earlier run has compared what is older. */
  changedSince: Date | null;
}

export function cutOffAt(now: Date): Date {
  return new Date(now.getTime() - graceMs);
}

/** What a run compares after one that compared all lines up to an instant; null where there was none. */
export function transfersAfter(comparedUpto: Date | null, cutOff: Date): TransferWindow {
  if (comparedUpto === null) return { from: null, cutOff, changedSince: null };
  const changedSince = new Date(cutOffAt(comparedUpto).getTime() - clockSkewMs);
  return { from: new Date(comparedUpto.getTime() - overlapMs), cutOff, changedSince };
}

export function depositsAfter(comparedUpto: Date | null, cutOff: Date): Window {
  if (comparedUpto === null) return { from: null, cutOff };
  return { from: new Date(Math.min(comparedUpto.getTime(), cutOff.getTime() - depositsMs)), cutOff };
}
