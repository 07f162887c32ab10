import { limits, type Assumptions } from './assumptions.ts';
import { apiTimeOf, commitTimeOf, figuresOf } from './figures.ts';
import type { Measured } from './measured.ts';
import { sharesWithOne } from './shares.ts';
import { simulateCell, type Cell, type CellResult } from './simulate-cell.ts';

/** One partner has 30% of all traffic, in one of twenty cells; every other partner has as much as the next. */
export const cellCount = 20;
const hotPart = 0.3;
const otherPart = (1 - hotPart) / cellCount;
const partnersOfCell = 200;

const seconds = 4;
const warmSeconds = 1;

/** A cell as it is deployed: what the measured machine would be with more cores, a standby and a bank. */
function deployedCell(measured: Measured, assumed: Assumptions): Cell {
  const { databaseSeconds } = figuresOf(measured);
  const commit = commitTimeOf(measured);
  const apiProcesses = 8;
  return {
    databaseCores: assumed.databaseCores,
    apiCores: apiProcesses,
    apiProcesses,
    ...apiTimeOf(measured),
    // The api commits twice; the rest of a life is the worker's.
    besideSeconds: Math.max(0, databaseSeconds - 2 * (commit.perBatchSeconds + commit.perPayoutSeconds)),
    besideAtOnce: 2 * limits.payoutsInHandOfWorker,
    commit: { ...commit, flushSeconds: commit.flushSeconds + assumed.standbySeconds },
    batchSize: limits.batchSize,
    commitsUnderWay: limits.commitsUnderWay,
    soonSeconds: limits.soonSeconds,
    bank: { slots: limits.bankCallsOfProcess, seconds: assumed.bankSeconds },
  };
}

type Sharing = 'together' | 'alone';

/** The cell of the large partner, with others of that cell or without. */
function simulateHot(cell: Cell, total: number, sharing: Sharing): CellResult {
  const others = sharing === 'alone' ? 0 : otherPart;
  const perSecond = total * (hotPart + others);
  const share = hotPart / (hotPart + others);
  const shares = sharing === 'alone' ? [1] : sharesWithOne(share, partnersOfCell);
  return simulateCell(cell, { perSecond, shares, seconds, warmSeconds, seed: 1 });
}

function simulateOther(cell: Cell, total: number, seed: number): CellResult {
  const shares = Array.from({ length: partnersOfCell }, () => 1);
  return simulateCell(cell, { perSecond: total * otherPart, shares, seconds, warmSeconds, seed });
}

export interface TwentyCells {
  total: number;
  hot: CellResult;
  /** The slowest of the other nineteen. */
  other: CellResult;
}

function twoDigits(value: number): number {
  return Number(value.toPrecision(2));
}

export function simulateTwenty(measured: Measured, assumed: Assumptions): TwentyCells[] {
  const cell = deployedCell(measured, assumed);
  const most = highestTotal(cell, 'together');
  return [0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.1].map((part) => {
    const total = twoDigits(most * part);
    const others = Array.from({ length: cellCount - 1 }, (_, at) => simulateOther(cell, total, at + 2));
    const other = others.reduce((slowest, one) => (one.p99Ms > slowest.p99Ms ? one : slowest));
    return { total, hot: simulateHot(cell, total, 'together'), other };
  });
}

const steps = 6;
/** A cell keeps up while it answers what arrives within a second. */
const latestMs = 1_000;

/** The rate of all cells together up to which the large partner's cell keeps up. */
function highestTotal(cell: Cell, sharing: Sharing): number {
  let [low, high] = [0, 1.3 * (cell.databaseCores / cell.besideSeconds / hotPart)];
  for (let step = 0; step < steps; step += 1) {
    const total = (low + high) / 2;
    const { p99Ms, databaseUse } = simulateHot(cell, total, sharing);
    if (p99Ms <= latestMs && databaseUse < 0.98) low = total;
    else high = total;
  }
  return low;
}

/** What could be done for the large partner's cell. */
export interface Remedy {
  what: string;
  total: number;
  ofPartner: number;
}

export function findRemedies(measured: Measured, assumed: Assumptions): Remedy[] {
  const cell = deployedCell(measured, assumed);
  const remedies: { what: string; cell: Cell; sharing: Sharing }[] = [
    { what: 'nothing', cell, sharing: 'together' },
    { what: 'a cell for this partner alone', cell, sharing: 'alone' },
    {
      what: 'the same with twice the database cores',
      cell: { ...cell, databaseCores: 2 * cell.databaseCores },
      sharing: 'alone',
    },
    {
      what: 'the same, and four times the api processes',
      cell: { ...cell, databaseCores: 2 * cell.databaseCores, apiCores: 32, apiProcesses: 32 },
      sharing: 'alone',
    },
  ];
  return remedies.map((remedy) => {
    const total = twoDigits(highestTotal(remedy.cell, remedy.sharing));
    return { what: remedy.what, total, ofPartner: twoDigits(total * hotPart) };
  });
}
