import { assumptions } from './assumptions.ts';
import { drawCheck, drawDisk, drawMachines, drawTwenty } from './charts.ts';
import { checkSimulation, type CheckedRate } from './check.ts';
import { figuresOf } from './figures.ts';
import type { Measured } from './measured.ts';
import { boundsOf, planFor, type Plan } from './model.ts';
import { bytesByClass, diskAfter, readRetention, type Kept } from './storage.ts';
import { cellCount, findRemedies, simulateTwenty } from './twenty-cells.ts';

const rates = [100, 1_000, 10_000, 100_000];
/** Of the chart, between those of the tables. */
const drawnRates = [100, 316, 1_000, 3_160, 10_000, 31_600, 100_000];

export interface Page {
  /** Tables by the name of their markers. */
  blocks: Readonly<Record<string, string>>;
  /** Drawings by file, from the root of the project. */
  drawings: Readonly<Record<string, string>>;
}

function short(value: number): string {
  return Number(value.toPrecision(value < 10 ? 2 : 3)).toLocaleString('en-GB');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
    .replaceAll('| --- |', '|---|')
    .replaceAll(' --- |', '---|');
}

function measuredTable(measured: Measured): string {
  const rows = measured.lives.lines
    .filter((line) => line.numbering_us === undefined)
    .map((line) => [
      short(line.completed_per_s),
      short(line.cpu_us_api),
      short(line.cpu_us_worker),
      short(line.cpu_us_pg),
      short(line.wal_bytes),
      short(line.commits),
      short(line.flushes),
      `${short(line.bank_calls_api)} + ${short(line.bank_calls_worker)}`,
      String(line.database_connections),
    ]);
  const head = ['payouts per second', 'api, µs', 'worker, µs', 'PostgreSQL, µs', 'WAL, bytes', 'commits', 'flushes'];
  return table([...head, 'bank calls, api + worker', 'connections in use'], rows);
}

function boundsTable(measured: Measured, ofPartner: boolean): string {
  const bounds = boundsOf(figuresOf(measured), assumptions)
    .filter((bound) => bound.ofPartner === ofPartner)
    .toSorted((one, other) => one.perSecond - other.perSecond);
  return table(
    ['stage', 'payouts per second', 'because'],
    bounds.map(({ stage, perSecond, because }) => [stage, short(perSecond), because]),
  );
}

function cellsByStageTable(measured: Measured): string {
  const bounds = boundsOf(figuresOf(measured), assumptions)
    .filter(({ ofPartner }) => !ofPartner)
    .toSorted((one, other) => one.perSecond - other.perSecond);
  return table(
    ['cells that each stage needs', ...rates.map((rate) => `${rate.toLocaleString('en-GB')}/s`)],
    bounds.map(({ stage, perSecond }) => [stage].concat(rates.map((rate) => short(Math.ceil(rate / perSecond))))),
  );
}

function plansTable(plans: readonly Plan[]): string {
  const row = (name: string, valueOf: (plan: Plan) => string): string[] => [name, ...plans.map(valueOf)];
  return table(
    ['at the peak', ...plans.map(({ perSecond }) => `${perSecond.toLocaleString('en-GB')}/s`)],
    [
      row('cells', ({ cells }) => short(cells)),
      row('ends first', ({ first }) => first.stage.toLowerCase()),
      row('database machines', ({ databaseMachines }) => short(databaseMachines)),
      row(
        'api + worker processes',
        ({ apiProcesses, workerProcesses }) => `${short(apiProcesses)} + ${short(workerProcesses)}`,
      ),
      row('connections of a cell', ({ connectionsOfCell }) => short(connectionsOfCell)),
      row('cores in use at the peak', ({ coresUsed }) => short(coresUsed)),
      row('cores provisioned', ({ cores }) => short(cores)),
      row('WAL, MB/s', ({ walMegabytesPerSecond }) => short(walMegabytesPerSecond)),
      row('calls at the bank at once', ({ bankCallsAtOnce }) => short(bankCallsAtOnce)),
      row('million payouts a year', ({ millionPayoutsOfYear }) => short(millionPayoutsOfYear)),
      row('machines for a million payouts, USD', ({ costOfMillion }) => short(costOfMillion)),
    ],
  );
}

function keptText(kept: Kept): string {
  return typeof kept === 'number' ? `${kept} months` : kept;
}

/** The longest first. */
function orderOf(kept: Kept): number {
  if (kept === 'for ever') return Infinity;
  return kept === 'while used' ? 0 : kept;
}

/** Of a million payouts that leave so many bytes each, on every node of a cell, in their first year. */
function diskPrice(kept: Kept, bytes: number): number {
  const months = Math.min(12, orderOf(kept));
  return ((bytes * 1e6) / 1e9) * assumptions.databaseNodes * assumptions.prices.diskGigabyteMonth * months;
}

function storageTable(measured: Measured): string {
  const sums = bytesByClass(figuresOf(measured), readRetention());
  return table(
    ['kept', 'bytes per payout', 'a million in their first year on three nodes, USD'],
    [...sums]
      .toSorted(([one], [other]) => orderOf(other) - orderOf(one))
      .map(([kept, bytes]) => [keptText(kept), short(bytes), short(diskPrice(kept, bytes))]),
  );
}

function disks(measured: Measured, years: number, million: number) {
  const what = { figures: figuresOf(measured), retention: readRetention() };
  return {
    without: diskAfter(years, million, { ...what, assumed: null }),
    withArchive: diskAfter(years, million, { ...what, assumed: assumptions }),
  };
}

function terabytes(gigabytes: number): string {
  return `${short(gigabytes / 1_000)} TB`;
}

function diskTable(measured: Measured, plans: readonly Plan[]): string {
  return table(
    ['payouts per second at the peak', '1 year', '5 years', '5 years with an archive: database', 'files'],
    plans.map(({ perSecond, millionPayoutsOfYear }) => {
      const [one, five] = [disks(measured, 1, millionPayoutsOfYear), disks(measured, 5, millionPayoutsOfYear)];
      return [
        perSecond.toLocaleString('en-GB'),
        terabytes(one.without.gigabytes),
        terabytes(five.without.gigabytes),
        terabytes(five.withArchive.gigabytes),
        terabytes(five.withArchive.archived),
      ];
    }),
  );
}

function errorText(simulated: number, seen: number): string {
  const percent = Math.round((simulated / seen - 1) * 100);
  return `${percent > 0 ? '+' : ''}${percent}%`;
}

function checkTable(checked: readonly CheckedRate[]): string {
  return table(
    [
      'offered',
      'answered: simulated',
      'measured',
      'error',
      'p50 ms: simulated',
      'measured',
      'error',
      'p99 ms: simulated',
      'measured',
      'error',
    ],
    checked.map(({ offered, simulated, measured }) => [
      offered.toLocaleString('en-GB'),
      ...([['perSecond'], ['p50Ms'], ['p99Ms']] as const).flatMap(([figure]) => [
        short(simulated[figure]),
        short(measured[figure]),
        errorText(simulated[figure], measured[figure]),
      ]),
    ]),
  );
}

function stamp({ lives, commits, arrivals, nightly, machine, postgresql }: Measured): string {
  const runs = Object.entries({ lives, commits, arrivals, nightly });
  const each = runs.map(([name, { date, commit }]) => `\`${name}\` on ${date} at ${commit.slice(0, 8)}`);
  return `Measured on ${machine}, PostgreSQL ${postgresql}: ${each.join(', ')}.`;
}

/** Everything in docs/scaling.md that follows from what was measured. */
export function renderPage(measured: Measured): Page {
  const figures = figuresOf(measured);
  const planAt = (rate: number): Plan => planFor(rate, figures, assumptions);
  const [plans, drawn] = [rates.map(planAt), drawnRates.map(planAt)];
  const checked = checkSimulation(measured);
  const twenty = simulateTwenty(measured, assumptions);
  const million = planAt(1_000).millionPayoutsOfYear;
  const years = [1, 2, 3, 4, 5].map((year) => {
    const { without, withArchive } = disks(measured, year, million);
    return { without: without.gigabytes, withArchive: withArchive.gigabytes };
  });
  return {
    blocks: {
      stamp: stamp(measured),
      measured: measuredTable(measured),
      bounds: boundsTable(measured, false),
      'partner-bounds': boundsTable(measured, true),
      plans: plansTable(plans),
      'cells-by-stage': cellsByStageTable(measured),
      storage: storageTable(measured),
      disk: diskTable(measured, plans),
      check: checkTable(checked),
      cells: table(
        [
          'all cells, per second',
          'large partner’s cell',
          'p50 ms',
          'p99 ms',
          'database use',
          'wallet locked',
          `slowest of the other ${cellCount - 1}: p99 ms`,
          'database use',
        ],
        twenty.map(({ total, hot, other }) => [
          short(total),
          short(hot.perSecond),
          short(hot.p50Ms),
          short(hot.p99Ms),
          `${Math.round(hot.databaseUse * 100)}%`,
          `${Math.round(hot.hotWalletUse * 100)}%`,
          short(other.p99Ms),
          `${Math.round(other.databaseUse * 100)}%`,
        ]),
      ),
      remedies: table(
        ['done for the large partner', 'keeps up to, all cells', 'of this partner'],
        findRemedies(measured, assumptions).map(({ what, total, ofPartner }) => [what, short(total), short(ofPartner)]),
      ),
    },
    drawings: {
      'docs/images/scaling-machines.svg': drawMachines(drawn),
      'docs/images/scaling-disk.svg': drawDisk(years, drawn),
      'docs/images/scaling-check.svg': drawCheck(checked),
      'docs/images/scaling-cells.svg': drawTwenty(twenty),
    },
  };
}

/** Replaces what stands between the markers of each block. */
export function fillPage(text: string, { blocks }: Page): string {
  return Object.entries(blocks).reduce((filled, [name, content]) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [from, to] = [filled.indexOf(begin), filled.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`docs/scaling.md has no place for ${name}`);
    return `${filled.slice(0, from + begin.length)}\n${content}\n${filled.slice(to)}`;
  }, text);
}
