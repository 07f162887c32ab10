import { limits } from './assumptions.ts';
import { apiTimeOf, commitTimeOf } from './figures.ts';
import type { Measured } from './measured.ts';
import { hotShare, measuredPartners, sharesWithOne } from './shares.ts';
import { simulateCell, type Cell } from './simulate-cell.ts';

/** The machine that was measured: one api process and PostgreSQL share two cores with what sends the requests. */
function measuredCell(measured: Measured): Cell {
  const sent = measured.arrivals.lines.map(({ cpu_us_client: used }) => used).toSorted((a, b) => a - b);
  return {
    databaseCores: 2,
    apiCores: null,
    apiProcesses: 1,
    ...apiTimeOf(measured),
    besideSeconds: (sent[Math.floor(sent.length / 2)] ?? 0) * 1e-6,
    besideAtOnce: 1,
    commit: commitTimeOf(measured),
    batchSize: limits.batchSize,
    commitsUnderWay: limits.commitsUnderWay,
    soonSeconds: limits.soonSeconds,
    bank: null,
  };
}

interface Seen {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** The same traffic, simulated and measured. */
export interface CheckedRate {
  offered: number;
  simulated: Seen;
  measured: Seen;
}

/** As long as it was measured. */
const seconds = 10;
const warmSeconds = 2;

export function checkSimulation(measured: Measured): CheckedRate[] {
  const cell = measuredCell(measured);
  const shares = sharesWithOne(hotShare, measuredPartners);
  return measured.arrivals.lines.map((line) => ({
    offered: line.offered_per_s,
    simulated: simulateCell(cell, {
      perSecond: line.offered_per_s,
      shares,
      seconds,
      warmSeconds,
      seed: line.offered_per_s,
    }),
    measured: { perSecond: line.answered_per_s, p50Ms: line.p50_ms, p99Ms: line.p99_ms },
  }));
}
