// npm run faults [-- --quick | --only N] [--seed S] [--runs K] [--rate R]: the faults of docs/faults.md on a real cluster,
// under traffic, judged by the bank's own record. Prints a table, closes with a JSON line, and writes
// docs/fault-report.md. Ends with exit code 1 where there was a violation.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '@kelpie/dev/project.ts';
import type { BankTest } from './bank-test.ts';
import { readListedFaults } from './listed-faults.ts';
import { describeMachine, printTable, writeReport, type TestedRow } from './report.ts';
import { faultRows, type FaultRow } from './rows.ts';
import { runRow, type RowResult } from './run-row.ts';
import { startFaultStage } from './stage.ts';
import { readOutcomes } from './test-outcomes.ts';

function readOptions() {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      quick: { type: 'boolean', default: false },
      tests: { type: 'string', multiple: true, default: [] },
      only: { type: 'string', multiple: true, default: [] },
      seed: { type: 'string', default: '1' },
      runs: { type: 'string' },
      rate: { type: 'string', default: '30' },
    },
  });
  return values;
}

function describeUsage(): string {
  const rows = faultRows.map(
    ({ number, name, runs, isQuick }) =>
      `${String(number).padStart(4)}  ${name.padEnd(24)}${runs}${isQuick === true ? ' *' : ''}`,
  );
  return `Usage: npm run faults -- [options]

Brings faults upon a real cluster under traffic, and judges by the bank's record.
Without options: every fault of the list below, as often as the list says.

  --quick      once each for the faults marked *, as CI does; writes no report
  --tests FILE instead, puts into the report what npm run check or npm run test:soak
               printed of the faults that have tests of their own; may be repeated
  --only N     this fault alone, by number or name; may be repeated
  --runs K     K runs of each
  --rate R     R payouts per second (30)
  --seed S     the seed of everything random (1)

${rows.join('\n')}`;
}

const options = (() => {
  try {
    return readOptions();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${describeUsage()}`);
    process.exit(2);
  }
})();
if (options.help) {
  console.log(describeUsage());
  process.exit(0);
}
const seed = Number(options.seed);
const payoutsASecond = Number(options.rate);
const startedAt = performance.now();
const say = (text: string): void =>
  console.error(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${text}`);

function isNamed({ number, name }: Pick<FaultRow, 'number' | 'name'>): boolean {
  return options.only.length === 0 || options.only.includes(String(number)) || options.only.includes(name);
}

const chosen = faultRows.filter((row) => isNamed(row) && (!options.quick || row.isQuick === true));
const runsAreRight = options.runs === undefined || /^[1-9]\d?$/.test(options.runs);
if (chosen.length === 0 || !Number.isSafeInteger(seed) || !(payoutsASecond > 0) || !runsAreRight) {
  console.error(describeUsage());
  process.exit(2);
}

/** After each row, so that a run that is cut off keeps what it measured. CI leaves the page as it is. */
function report(results: readonly RowResult[], tested: readonly TestedRow[]): void {
  if (options.quick) return;
  const file = path.join(projectFolder, 'docs/fault-report.md');
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const faults = new Map(readListedFaults().map(({ number, fault }) => [number, fault]));
  const measuredAt = describeMachine(new Date());
  writeFileSync(file, writeReport(before, { results, tested, faults, payoutsASecond, measuredAt }));
}

async function runRows(): Promise<RowResult[]> {
  const ends: (() => Promise<unknown>)[] = [];
  const results: RowResult[] = [];
  const earlier: BankTest[] = [];
  const known = new Set<string>();
  const endAll = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed())
      await end().catch((error: unknown) => say(`ending: ${String(error)}`));
  };
  const endEarly = async (code: number): Promise<never> => {
    await endAll();
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void endEarly(130));
  process.once('uncaughtException', (error) => {
    say(`a fault of the harness: ${error.stack ?? String(error)}`);
    void endEarly(1);
  });
  try {
    const stage = await startFaultStage((end) => void ends.push(end), say);
    for (const row of chosen) {
      const runs = options.quick ? 1 : Number(options.runs ?? row.runs);
      say(`${row.number} ${row.name}: ${runs} runs, seed ${seed}`);
      const common = { seed, runs, payoutsASecond, isQuick: options.quick, earlier, known, say };
      const result = await runRow(stage, row, common);
      for (const violation of result.violations.slice(0, 20)) say(`VIOLATION ${violation}`);
      results.push(result);
      report([result], testedElsewhere(''));
    }
  } finally {
    await endAll();
  }
  return results;
}

/** The faults that have tests of their own, with what these printed. */
function testedElsewhere(printed: string): TestedRow[] {
  const here = new Set(faultRows.map(({ number }) => number));
  const rows = readListedFaults().filter(({ number, files }) => files.length > 0 || !here.has(number));
  const outcomes = readOutcomes(printed);
  return rows.map(({ number, fault, tests }) => ({ number, fault, tests, result: outcomes.get(number) ?? null }));
}

if (options.tests.length > 0) {
  report([], testedElsewhere(options.tests.map((file) => readFileSync(file, 'utf8')).join('\n')));
  process.exit(0);
}
const results = await runRows();
console.log(printTable(results));
const violations = results.reduce((sum, row) => sum + row.violations.length, 0);
const missed = results.flatMap(({ name, missed: goals }) => goals.map((goal) => `${name}: ${goal}`));
console.log(JSON.stringify({ rows: results.length, violations, goals_missed: missed, seed }));
// A query that a frozen server never answered would keep this process alive.
process.exit(violations === 0 ? 0 : 1);
