import { readFileSync } from 'node:fs';
import { InvalidArgumentError, type Command } from 'commander';
import type { Kelpie } from '../../index.ts';
import { CommandError } from '../command-error.ts';
import { addHelp } from '../help.ts';
import { followResults, isOpen } from '../importing/follow-results.ts';
import { adviseAfter, describeOutcome, exitCodeOf, outcomeAsJson } from '../importing/outcome.ts';
import { createPace } from '../importing/pace.ts';
import { notSent, payRows, type Stop } from '../importing/pay-rows.ts';
import { describePlan, isDone, planAsJson, planFor, type Plan } from '../importing/plan.ts';
import { penceOf, readRows, type Fault, type PayoutRow } from '../importing/read-rows.ts';
import { openResults, type ResultsFile, type RowResult } from '../importing/results-file.ts';
import { onInterruption } from '../interruption.ts';
import { wholeNumber, withJson, type JsonOption, type WaitOptions } from '../option-values.ts';
import { counted, note, print } from '../printing.ts';
import { connectKelpie, readSettings } from '../settings.ts';

interface ImportOptions extends JsonOption, WaitOptions {
  dryRun: boolean;
  rate: number;
  results?: string;
}

/** As many as a second's payouts wait for their answers, at a time per answer of up to a second. */
const mostAtOnce = 25;
/** Half of what a key may ask per second. */
const readsPerSecond = 50;
const mostFaultsShown = 50;

function resultsName(file: string): string {
  return `${file.replace(/\.csv$/i, '')}.results.csv`;
}

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch {
    throw new CommandError('data', 'file_unreadable', `${file} cannot be read.`);
  }
}

function describeFault({ line, column, problem }: Fault): string {
  return `  line ${line}: ${column === null ? '' : `${column} `}${problem}`;
}

function invalid(file: string, faults: readonly Fault[]): CommandError {
  const sorted = faults.toSorted((one, other) => one.line - other.line);
  const more = sorted.length - mostFaultsShown;
  const shown = sorted.slice(0, mostFaultsShown).map(describeFault);
  const rest = more > 0 ? [`  and ${more} more; --json lists all`] : [];
  const head = `${file} has ${counted(faults.length, 'fault')}. Nothing was sent.`;
  return new CommandError('data', 'file_invalid', [head, ...shown, ...rest].join('\n'), { faults: sorted });
}

async function readFile(kelpie: Kelpie, file: string): Promise<PayoutRow[]> {
  const bytes = readBytes(file);
  const { payout_limits_gbp: limits } = await kelpie.account.get();
  const amounts = { leastPence: penceOf(limits.min), mostPence: penceOf(limits.max_per_payout) };
  const { rows, faults } = readRows(bytes, amounts);
  if (faults.length > 0) throw invalid(file, faults);
  return rows;
}

/** One line that is written anew in a terminal, and a line every few seconds elsewhere. */
function createProgress(json: boolean, total: number, what: string): { show(done: number): void; end(): void } {
  const { isTTY } = process.stderr;
  const everyMs = isTTY ? 200 : 5_000;
  let shownAt = performance.now();
  const text = (done: number): string => `${done.toLocaleString('en-GB')} of ${counted(total, 'row')} ${what}`;
  return {
    show(done) {
      if (json || performance.now() - shownAt < everyMs) return;
      shownAt = performance.now();
      process.stderr.write(isTTY ? `\r${text(done)}` : `${text(done)}\n`);
    },
    end() {
      if (!json && isTTY) process.stderr.write('\r\u001B[K');
    },
  };
}

interface Run {
  kelpie: Kelpie;
  results: ResultsFile;
  options: ImportOptions;
  signal: AbortSignal;
}

/** Pays the rows that are left, and appends each result as it arrives. */
async function pay({ kelpie, results, options, signal }: Run, left: readonly PayoutRow[]) {
  const found = new Map<string, RowResult>();
  let created = 0;
  const progress = createProgress(options.json, left.length, 'done');
  const stop = await payRows(
    {
      kelpie,
      pace: createPace(options.rate),
      atOnce: Math.min(mostAtOnce, options.rate),
      onDone({ result, replayed }) {
        results.append(result);
        found.set(result.key, result);
        if (result.payoutId !== '' && !replayed) created += 1;
        progress.show(found.size);
      },
    },
    left,
    signal,
  );
  progress.end();
  return { found, created, stop };
}

/** Each row once, as this run or an earlier one left it. */
function resultsOf(
  { results }: Run,
  rows: readonly PayoutRow[],
  found: ReadonlyMap<string, RowResult>,
  stop: Stop | 'interrupted' | undefined,
): RowResult[] {
  const why = typeof stop === 'object' ? stop.code : 'interrupted';
  return rows.map((row) => {
    const earlier = isDone(results, row) ? results.known.get(row.key) : undefined;
    return { ...(found.get(row.key) ?? earlier ?? notSent(row, why)), row: row.line };
  });
}

/** The results with the statuses that their payouts have in the end, so far as they are known in time. */
async function follow({ kelpie, results, options, signal }: Run, all: readonly RowResult[]): Promise<RowResult[]> {
  const ended = new Map<string, RowResult>();
  const progress = createProgress(options.json, all.filter(isOpen).length, 'final');
  await followResults(
    {
      kelpie,
      pace: createPace(readsPerSecond),
      timeoutSeconds: options.timeout,
      onChange(result) {
        results.append(result);
        ended.set(result.key, result);
        progress.show(ended.size);
      },
    },
    all,
    signal,
  );
  progress.end();
  return all.map((result) => ended.get(result.key) ?? result);
}

async function payAndReport(run: Run, { rows, left }: Plan, file: string): Promise<void> {
  const { json, wait } = run.options;
  const { found, created, stop } = await pay(run, left);
  const all = resultsOf(run, rows, found, stop);
  const waited = wait && stop === undefined;
  const results = waited ? await follow(run, all) : all;
  run.results.finish(results);
  const before = results.filter(({ payoutId }) => payoutId !== '').length - created;
  const outcome = { results, created, before, stop, waited, file };
  print(json, outcomeAsJson(outcome), describeOutcome(outcome));
  const advice = adviseAfter(outcome);
  if (advice !== undefined && !json) note(advice);
  process.exitCode = exitCodeOf(outcome);
}

async function importPayouts(file: string, options: ImportOptions): Promise<void> {
  const { json, dryRun } = options;
  const settings = readSettings();
  const kelpie = connectKelpie(settings);
  const rows = await readFile(kelpie, file);
  if (dryRun) {
    const plan = await planFor(kelpie, rows, { known: new Map() });
    print(json, { dry_run: true, ...planAsJson(plan) }, `${describePlan(plan)}\nDry run. Nothing was sent.\n`);
    return;
  }
  const signal = onInterruption();
  const name = options.results ?? resultsName(file);
  const results = openResults(name);
  const plan = await planFor(kelpie, rows, results);
  if (!json) note(describePlan(plan));
  await payAndReport({ kelpie: connectKelpie(settings, { retries: 0 }), results, options, signal }, plan, name);
}

function notEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('Use the name of a file.');
  return text;
}

export function addImportPayouts(payouts: Command): void {
  const command = withJson(payouts.command('import'))
    .argument('<file>', 'a CSV file with one payout per row')
    .description(
      'Create a payout for each row of a CSV file. All rows are checked before the first is sent. Run it again after an interruption, or with the same file: each row is paid once, because its idempotency_key is.',
    )
    .option('--dry-run', 'check the file and send nothing', false)
    .option('--results <file>', 'the result file; beside the CSV file by default, as NAME.results.csv', notEmpty)
    .option(
      '--rate <payouts>',
      'payouts per second; your limit is 25 unless we agreed on more',
      wholeNumber(1, 1_000),
      25,
    )
    .option('--wait', 'then wait until every payout is final, and write its last status to the result file', false)
    .option('--timeout <seconds>', 'how long to wait', wholeNumber(1, 86_400), 600)
    .action(importPayouts);
  addHelp(command, {
    examples: ['kelpie payouts import payroll.csv --dry-run', 'kelpie payouts import payroll.csv'],
    prints:
      'Progress, then how many payouts were created. The result file has one line per row: its line, key, payout, status and error. Exit code 1 if rows were refused or payouts failed, 75 if it stopped before the end.',
  });
}
