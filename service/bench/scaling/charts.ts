import { drawCharts, linearScale, logarithmicScale, type Chart, type Line } from '@kelpie/dev/chart.ts';
import type { CheckedRate } from './check.ts';
import type { Plan } from './model.ts';
import type { TwentyCells } from './twenty-cells.ts';

const strong = '#0f6e6e';
const weak = '#8a9a9d';
const third = '#b4632a';

interface Series {
  colour: string;
  values: readonly number[];
}

interface Labelled {
  title: string;
  labels: readonly string[];
  axis: string;
  scale: 'linear' | 'logarithmic';
  series: readonly Series[];
}

/** A point for each label, at equal distances. */
function chartOf({ title, labels, axis, scale, series }: Labelled): Chart {
  const atOf = (at: number): number => at / (labels.length - 1);
  const values = series.flatMap((one) => one.values);
  const lines = series.map(({ colour, values: ofLine }): Line => ({
    colour,
    points: ofLine.map((value, at) => ({ at: atOf(at), value })),
    hasDots: true,
  }));
  return {
    title,
    axis,
    lines,
    labels: labels.map((text, at) => ({ at: atOf(at), text })),
    scale: scale === 'linear' ? linearScale(Math.max(...values)) : logarithmicScale(values),
  };
}

function numbers(values: readonly number[]): string[] {
  return values.map((value) => value.toLocaleString('en-GB'));
}

/** Cores and money by the rate. */
export function drawMachines(plans: readonly Plan[]): string {
  const labels = numbers(plans.map(({ perSecond }) => perSecond));
  const axis = 'payouts per second at the peak';
  return drawCharts({
    title: 'Cores, write-ahead log and cost by the number of payouts per second',
    keys: [
      { colour: strong, label: 'provisioned cores', x: 80 },
      { colour: weak, label: 'cores in use at the peak', x: 260 },
      { colour: third, label: 'machines, without disks', x: 525 },
    ],
    charts: [
      {
        title: 'Cores',
        labels,
        axis,
        scale: 'logarithmic',
        series: [
          { colour: weak, values: plans.map(({ coresUsed }) => coresUsed) },
          { colour: strong, values: plans.map(({ cores }) => cores) },
        ],
      } satisfies Labelled,
      {
        title: 'US dollars for a million payouts',
        labels,
        axis,
        scale: 'linear',
        series: [{ colour: third, values: plans.map(({ costOfMillion }) => costOfMillion) }],
      } satisfies Labelled,
    ].map(chartOf),
  });
}

/** Gigabytes by the year, without an archive and with one. */
export function drawDisk(years: readonly { without: number; withArchive: number }[], plans: readonly Plan[]): string {
  return drawCharts({
    title: 'Disk by the year, and write-ahead log by the number of payouts per second',
    keys: [
      { colour: weak, label: 'without an archive', x: 80 },
      { colour: strong, label: 'with one', x: 260 },
      { colour: third, label: 'write-ahead log', x: 525 },
    ],
    charts: [
      {
        title: 'Terabytes of one copy, at 1,000/s',
        labels: numbers(years.map((_, at) => at + 1)),
        axis: 'years',
        scale: 'linear',
        series: [
          { colour: weak, values: years.map(({ without }) => without / 1_000) },
          { colour: strong, values: years.map(({ withArchive }) => withArchive / 1_000) },
        ],
      } satisfies Labelled,
      {
        title: 'Megabytes of WAL per second, all cells',
        labels: numbers(plans.map(({ perSecond }) => perSecond)),
        axis: 'payouts per second at the peak',
        scale: 'logarithmic',
        series: [{ colour: third, values: plans.map(({ walMegabytesPerSecond }) => walMegabytesPerSecond) }],
      } satisfies Labelled,
    ].map(chartOf),
  });
}

/** The simulation beside what was measured. */
export function drawCheck(rates: readonly CheckedRate[]): string {
  const chart = (title: string, valueOf: (seen: CheckedRate['measured']) => number): Labelled => ({
    title,
    labels: numbers(rates.map(({ offered }) => offered)),
    axis: 'payouts offered per second',
    scale: 'logarithmic',
    series: [
      { colour: weak, values: rates.map(({ measured }) => valueOf(measured)) },
      { colour: strong, values: rates.map(({ simulated }) => valueOf(simulated)) },
    ],
  });
  return drawCharts({
    title: 'Answer times of one api on one machine, simulated and measured',
    keys: [
      { colour: strong, label: 'simulated', x: 80 },
      { colour: weak, label: 'measured', x: 190 },
    ],
    charts: [
      chart('Median in milliseconds', ({ p50Ms }) => p50Ms),
      chart('p99 in milliseconds', ({ p99Ms }) => p99Ms),
    ].map(chartOf),
  });
}

/** One hot cell among twenty. */
export function drawTwenty(totals: readonly TwentyCells[]): string {
  const labels = numbers(totals.map(({ total }) => total));
  const axis = 'payouts per second in all cells';
  return drawCharts({
    title: 'Twenty cells, one of which has a partner with 30% of all payouts',
    keys: [
      { colour: third, label: 'the cell of the large partner', x: 80 },
      { colour: strong, label: 'the slowest other cell', x: 320 },
    ],
    charts: [
      {
        title: 'p99 in milliseconds, the bank’s 300 included',
        labels,
        axis,
        scale: 'logarithmic',
        series: [
          { colour: strong, values: totals.map(({ other }) => other.p99Ms) },
          { colour: third, values: totals.map(({ hot }) => hot.p99Ms) },
        ],
      } satisfies Labelled,
      {
        title: 'Use of the database’s cores, in percent',
        labels,
        axis,
        scale: 'linear',
        series: [
          { colour: strong, values: totals.map(({ other }) => other.databaseUse * 100) },
          { colour: third, values: totals.map(({ hot }) => hot.databaseUse * 100) },
        ],
      } satisfies Labelled,
    ].map(chartOf),
  });
}
