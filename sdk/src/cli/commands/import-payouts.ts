import { readFileSync } from 'node:fs';
import { InvalidArgumentError, type Command } from 'commander';
import type { Kelpie } from '../../index.ts';
import { CommandError, exitCodes } from '../command-error.ts';
import { addHelp } from '../help.ts';
import { createPace } from '../importing/pace.ts';
import { notSent, payRows, type Stop } from '../importing/pay-rows.ts';
import { formatPence, penceOf, readRows, type Fault, type PayoutRow } from '../importing/read-rows.ts';
import { openResults, type ResultsFile, type RowResult } from '../importing/results-file.ts';
import { onInterruption } from '../interruption.ts';
import { wholeNumber, withJson, type JsonOption } from '../option-values.ts';
import { counted, note, pounds, print, visible } from '../printing.ts';
import { connectKelpie, readSettings } from '../settings.ts';

interface ImportOptions extends JsonOption {
  dryRun: boolean;
  rate: number;
  results?: string;
}

/** As many as a second's payouts wait for their answers, at a time per answer of up to a second. */
const mostAtOnce = 25;
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
  const { payout_limits_gbp: limits } = await kelpie.account.get();
  const amounts = { leastPence: penceOf(limits.min), mostPence: penceOf(limits.max_per_payout) };
  const { rows, faults } = readRows(readBytes(file), amounts);
  if (faults.length > 0) throw invalid(file, faults);
  return rows;
}

/** Rows that would pay the same amount to the same account as another: often right, sometimes a row that was pasted twice. */
function countAlike(rows: readonly PayoutRow[]): number {
  const seen = new Map<string, number>();
  for (const { order } of rows) {
    const { sort_code: sortCode, account_number: account } = order.recipient.bank;
    const what = `${sortCode} ${account} ${order.amount_gbp}`;
    seen.set(what, (seen.get(what) ?? 0) + 1);
  }
  return [...seen.values()].reduce((sum, count) => sum + count - 1, 0);
}

interface Plan {
  rows: readonly PayoutRow[];
  /** Those that earlier runs have not done. */
  left: readonly PayoutRow[];
  totalPence: bigint;
  alike: number;
  balanceGbp: string;
}

const sumOf = (rows: readonly PayoutRow[]): bigint => rows.reduce((sum, { pence }) => sum + pence, 0n);

/** Created already, and unchanged in the file since. A changed row is sent: the API then says that its key was used. */
function isDone({ known }: Pick<ResultsFile, 'known'>, { key, fingerprint }: PayoutRow): boolean {
  const result = known.get(key);
  return result !== undefined && result.payoutId !== '' && result.fingerprint === fingerprint;
}

async function planFor(kelpie: Kelpie, rows: readonly PayoutRow[], results: Pick<ResultsFile, 'known'>): Promise<Plan> {
  const { approx_gbp: balanceGbp } = await kelpie.balance.get();
  const left = rows.filter((row) => !isDone(results, row));
  return { rows, left, totalPence: sumOf(rows), alike: countAlike(rows), balanceGbp };
}

function describePlan({ rows, left, totalPence, alike, balanceGbp }: Plan): string {
  const leftPence = sumOf(left);
  return [
    `${counted(rows.length, 'row')}, ${pounds(formatPence(totalPence))} in all. Every row is valid.`,
    ...(left.length === rows.length
      ? []
      : [
          `${counted(rows.length - left.length, 'row')} done by earlier runs; ${left.length.toLocaleString('en-GB')} left.`,
        ]),
    ...(alike === 0
      ? []
      : [`${counted(alike, 'row')} with the amount and account of another row: check that this is meant.`]),
    ...(leftPence > penceOf(balanceGbp)
      ? [`The wallet holds about ${pounds(balanceGbp)}, less than the ${pounds(formatPence(leftPence))} left to pay.`]
      : []),
  ].join('\n');
}

function planAsJson({ rows, left, totalPence, alike, balanceGbp }: Plan) {
  return {
    rows: rows.length,
    left: left.length,
    total_gbp: formatPence(totalPence),
    left_gbp: formatPence(sumOf(left)),
    same_account_and_amount: alike,
    balance_approx_gbp: balanceGbp,
  };
}

/** One line that is written anew in a terminal, and a line every few seconds elsewhere. */
function createProgress(json: boolean, total: number): { show(done: number): void; end(): void } {
  const { isTTY } = process.stderr;
  const everyMs = isTTY ? 200 : 5_000;
  let shownAt = performance.now();
  const text = (done: number): string => `${done.toLocaleString('en-GB')} of ${counted(total, 'row')} done`;
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

interface Summary {
  created: number;
  before: number;
  refused: number;
  left: number;
}

function describeEnd({ created, before, refused, left }: Summary, results: string): string {
  const sentences = [
    `${counted(created, 'payout')} created.`,
    ...(before === 0 ? [] : [`${before.toLocaleString('en-GB')} were created earlier.`]),
    ...(refused === 0 ? [] : [`${counted(refused, 'row')} refused.`]),
    ...(left === 0 ? [] : [`${counted(left, 'row')} not sent.`]),
  ];
  return `${sentences.join(' ')}\nResults: ${results}\n`;
}

/** Each row once, as the last run or an earlier one left it. */
function finishResults(
  results: ResultsFile,
  rows: readonly PayoutRow[],
  found: ReadonlyMap<string, RowResult>,
  why: string,
): void {
  results.finish(
    rows.map((row) => {
      const earlier = isDone(results, row) ? results.known.get(row.key) : undefined;
      return { ...(found.get(row.key) ?? earlier ?? notSent(row, why)), row: row.line };
    }),
  );
}

function endWith(stop: Stop | 'interrupted' | undefined, summary: Summary, json: boolean): void {
  if (stop === undefined) {
    if (summary.refused > 0) process.exitCode = exitCodes.found;
    return;
  }
  process.exitCode = stop === 'interrupted' ? exitCodes.interrupted : exitCodes.again;
  if (json) return;
  const where = stop === 'interrupted' ? 'Interrupted.' : `Stopped at line ${stop.line}: ${visible(stop.why)}`;
  note(`${where}\nRun the same command again to continue. No row is paid twice.`);
}

async function importPayouts(file: string, options: ImportOptions): Promise<void> {
  const { json, dryRun, rate } = options;
  const settings = readSettings();
  const kelpie = connectKelpie(settings);
  const rows = await readFile(kelpie, file);
  const resultsPath = options.results ?? resultsName(file);
  if (dryRun) {
    const plan = await planFor(kelpie, rows, { known: new Map() });
    print(json, { dry_run: true, ...planAsJson(plan) }, `${describePlan(plan)}\nDry run. Nothing was sent.\n`);
    return;
  }
  const signal = onInterruption();
  const results = openResults(resultsPath);
  const plan = await planFor(kelpie, rows, results);
  if (!json) note(describePlan(plan));
  const found = new Map<string, RowResult>();
  const summary: Summary = { created: 0, before: rows.length - plan.left.length, refused: 0, left: 0 };
  const progress = createProgress(json, plan.left.length);
  const stop = await payRows(
    {
      kelpie: connectKelpie(settings, { retries: 0 }),
      pace: createPace(rate),
      atOnce: Math.min(mostAtOnce, rate),
      onDone({ result, replayed }) {
        results.append(result);
        found.set(result.key, result);
        if (result.payoutId === '') summary.refused += 1;
        else summary[replayed ? 'before' : 'created'] += 1;
        progress.show(found.size);
      },
    },
    plan.left,
    signal,
  );
  progress.end();
  summary.left = plan.left.length - found.size;
  finishResults(results, rows, found, stop === undefined || stop === 'interrupted' ? 'interrupted' : stop.code);
  const ended = stop === undefined ? null : stop === 'interrupted' ? { code: 'interrupted' } : stop;
  const { created, before, refused, left } = summary;
  const asJson = { rows: rows.length, created, created_earlier: before, refused, not_sent: left, stopped: ended };
  print(json, { ...asJson, results: resultsPath }, describeEnd(summary, resultsPath));
  endWith(stop, summary, json);
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
    .action(importPayouts);
  addHelp(command, {
    examples: ['kelpie payouts import payroll.csv --dry-run', 'kelpie payouts import payroll.csv'],
    prints:
      'Progress, then how many payouts were created. The result file has one line per row: its line, key, payout, status and error. Exit code 1 if rows were refused, 75 if it stopped before the end.',
  });
}
