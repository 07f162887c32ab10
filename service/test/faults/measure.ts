import type { Attempt } from '../simulate/payouts-clients.ts';
import { isAcknowledged } from './bank-test.ts';

// What callers saw of a fault. Pure: the figures of a report follow from the attempts alone.

/** From the fault to the moment when all was well again, as `performance.now()` has it. */
export interface FaultWindow {
  fromMs: number;
  toMs: number;
}

export interface Measured {
  acknowledged: number;
  /** The longest time without an acknowledged payout. */
  worstGapMs: number;
  /** From the fault to the end of that gap; 0 where it was no gap to speak of. */
  recoveryMs: number;
  /** The slowest answer to a request that was under way at any time of it. */
  slowestMs: number;
  /** What it was. */
  slowestStatus: number;
  /** Requests by their status; 0 stands for a broken connection. */
  statuses: Record<string, number>;
}

/** At 30 payouts per second some pass within this time. Less is the traffic's own rhythm. */
const leastGapMs = 1_500;

export function measure(attempts: readonly Attempt[], { fromMs, toMs }: FaultWindow): Measured {
  const within = attempts.filter(
    ({ startedAtMs, tookMs }) => startedAtMs <= toMs && startedAtMs + tookMs >= fromMs && startedAtMs + tookMs <= toMs,
  );
  const times = within
    .filter(isAcknowledged)
    .map(({ startedAtMs, tookMs }) => startedAtMs + tookMs)
    .toSorted((one, other) => one - other);
  let worstGapMs = 0;
  let gapEndMs = fromMs;
  let last = fromMs;
  for (const time of [...times, toMs]) {
    if (time - last > worstGapMs) {
      worstGapMs = time - last;
      gapEndMs = time;
    }
    last = time;
  }
  const statuses: Record<string, number> = {};
  for (const { status } of within) statuses[status] = (statuses[status] ?? 0) + 1;
  const slowest = within.reduce<Attempt | undefined>(
    (worst, one) => (worst !== undefined && worst.tookMs >= one.tookMs ? worst : one),
    undefined,
  );
  return {
    acknowledged: times.length,
    worstGapMs,
    recoveryMs: worstGapMs > leastGapMs ? gapEndMs - fromMs : 0,
    slowestMs: slowest?.tookMs ?? 0,
    slowestStatus: slowest?.status ?? 0,
    statuses,
  };
}

/** New payouts (201) to requests that began within a time in which no commit could be confirmed. */
export function countFalseSuccesses(attempts: readonly Attempt[], { fromMs, toMs }: FaultWindow): number {
  return attempts.filter(
    ({ what, status, startedAtMs, tookMs }) =>
      what === 'create' && status === 201 && startedAtMs >= fromMs && startedAtMs + tookMs <= toMs,
  ).length;
}
