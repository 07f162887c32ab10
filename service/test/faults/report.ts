import { cpus, loadavg, totalmem } from 'node:os';
import type { RowResult } from './run-row.ts';

// docs/fault-report.md. Lines of rows that were not run this time stay as they are, with the time of their measurement.

/** A row that a test shows, and what came of it; null where it was not run. */
export interface TestedRow {
  number: number;
  fault: string;
  tests: string;
  result: { isPassed: boolean; text: string } | null;
}

interface ReportInput {
  results: readonly RowResult[];
  tested: readonly TestedRow[];
  /** What is measured by the harness, by its number. */
  faults: ReadonlyMap<number, string>;
  payoutsASecond: number;
  measuredAt: string;
}

export function describeMachine(now: Date): string {
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  const load = loadavg()[0]?.toFixed(1) ?? '?';
  const at = now.toISOString().slice(0, 16).replace('T', ' ');
  return `${at} UTC, ${cpus().length} cores, ${gigabytes} GB, load ${load}`;
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
const worst = (values: readonly number[]): number => Math.max(0, ...values);

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function countStatus({ measured }: RowResult, wanted: (status: number) => boolean): number {
  const counts = measured.flatMap(({ statuses }) => Object.entries(statuses));
  return counts.filter(([status]) => wanted(Number(status))).reduce((sum, [, times]) => sum + times, 0);
}

type Line = readonly (string | number)[];

const callersHead: Line = [
  '#',
  'fault',
  'runs',
  'acknowledged',
  'violations',
  'recovered in s, worst (median)',
  'longest gap in s',
  'slowest answer in s',
  '500s',
  '503s',
  'goals missed',
  'measured',
];

function callersLine(result: RowResult, { faults, measuredAt }: ReportInput): Line {
  const { number, name, measured, violations, missed } = result;
  const recoveries = measured.map(({ recoveryMs }) => recoveryMs);
  return [
    number,
    `${faults.get(number) ?? name} (\`${name}\`)`,
    measured.length,
    measured.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    violations.length,
    `${seconds(worst(recoveries))} (${seconds(median(recoveries))})`,
    seconds(worst(measured.map(({ worstGapMs }) => worstGapMs))),
    seconds(worst(measured.map(({ slowestMs }) => slowestMs))),
    countStatus(result, (status) => status === 500),
    countStatus(result, (status) => status === 503),
    missed.length === 0 ? 'none' : missed.join('; '),
    measuredAt,
  ];
}

const resourcesHead: Line = [
  '#',
  'sent again',
  'open payouts',
  'settled in s',
  'api MB',
  'worker MB',
  'api connections',
  'worker connections',
  'log lines/s',
  'readyz not 200',
  'healthz not 200',
  'slowest read in s',
];

function resourcesLine({ number, resent, open, settledMs, peaks, probes }: RowResult): Line {
  return [
    number,
    resent,
    open,
    settledMs === null ? 'over 30' : seconds(settledMs),
    peaks.apiMegabytes,
    peaks.workerMegabytes,
    peaks.apiConnections,
    peaks.workerConnections,
    peaks.linesASecond,
    probes.readyz.failed,
    probes.healthz.failed,
    seconds(probes.read.slowestMs),
  ];
}

const testedHead: Line = ['#', 'fault', 'test', 'result'];

function testedLine({ number, fault, tests, result }: TestedRow, measuredAt: string): Line {
  const outcome =
    result === null ? 'not run' : `${result.isPassed ? 'passed' : '**failed**'}: ${result.text}, ${measuredAt}`;
  return [number, fault, tests, outcome];
}

function formatLine(line: Line): string {
  return `| ${line.join(' | ')} |`;
}

/** A table of an earlier report, by the numbers of its rows. */
function readTable(page: string, heading: string): Map<number, string> {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  const lines = Array.from(table.matchAll(/^\| (\d+) \|.*$/gm), ([line, number]) => [Number(number), line] as const);
  return new Map(lines);
}

function mergeTable(page: string, heading: string, head: Line, lines: readonly Line[], keepsOld: boolean): string {
  const rows = keepsOld ? readTable(page, heading) : new Map<number, string>();
  for (const line of lines) rows.set(Number(line[0]), formatLine(line));
  if (rows.size === 0) return `## ${heading}\n\nNothing was measured yet.\n`;
  const sorted = [...rows].toSorted(([one], [other]) => one - other).map(([, line]) => line);
  return [`## ${heading}\n`, formatLine(head), formatLine(head.map(() => '---')), ...sorted, ''].join('\n');
}

/** What an earlier report says of a test that was not run this time is kept. */
function testedLines(page: string, { tested, measuredAt }: ReportInput): Line[] {
  const before = readTable(page, 'Tested elsewhere');
  return tested.map((row) => {
    const line = testedLine(row, measuredAt);
    const [, earlier] = /\| ((?:passed|\*\*failed\*\*): [^|]*) \|$/.exec(before.get(row.number) ?? '') ?? [];
    return row.result === null && earlier !== undefined ? [...line.slice(0, -1), earlier] : line;
  });
}

export function writeReport(page: string, input: ReportInput): string {
  const { results, payoutsASecond } = input;
  const intro = `# Fault report

\`npm run faults\` writes this page: each fault of [faults.md](faults.md) on a real cluster of three PostgreSQL nodes under Patroni, with two api processes, two workers and 50 clients at ${payoutsASecond} payouts per second. A line stays until its fault is measured again; its last column says when, and on what kind of machine. The nodes, the service, the bank and the clients shared that machine, so read differences below two seconds as noise.

- **Violations** are judged by the bank's own record and the invariants: an acknowledged payout that is missing or paid twice, a wallet below zero, a payout that is stuck, books that differ from the bank's, or an answer that the API does not declare, as any 500.
- **Gap** is the longest time without an acknowledged payout. **Recovered** is from the fault to the end of that gap; 0.0 means no gap above 1.5 s.
- **Sent again** counts payouts whose order went to the bank a second time. **Open payouts** are those open when the fault began and those created until it was over.
- Memory, connections and log lines (warnings and errors) are the highest of any second. Connections are those of both processes together.
`;
  return [
    intro,
    mergeTable(
      page,
      'What callers saw',
      callersHead,
      results.map((result) => callersLine(result, input)),
      true,
    ),
    mergeTable(page, 'What it took', resourcesHead, results.map(resourcesLine), true),
    mergeTable(page, 'Tested elsewhere', testedHead, testedLines(page, input), false),
    'Faults with tests of their own, which `npm run check` and `npm run test:soak` run. `npm run faults -- --tests FILE` puts here what they printed.\n',
  ].join('\n');
}

/** For the terminal. */
export function printTable(results: readonly RowResult[]): string {
  const head = ['row', 'fault', 'runs', 'violations', 'recovered s', 'gap s', 'slowest s', '500s', 'goals missed'];
  const lines = results.map((result) => [
    String(result.number),
    result.name,
    String(result.measured.length),
    String(result.violations.length),
    seconds(worst(result.measured.map(({ recoveryMs }) => recoveryMs))),
    seconds(worst(result.measured.map(({ worstGapMs }) => worstGapMs))),
    seconds(worst(result.measured.map(({ slowestMs }) => slowestMs))),
    String(countStatus(result, (status) => status === 500)),
    result.missed.join('; ') || 'none',
  ]);
  const widths = head.map((title, at) =>
    worst([title, ...lines.map((line) => line[at] ?? '')].map(({ length }) => length)),
  );
  return [head, ...lines].map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')).join('\n');
}
