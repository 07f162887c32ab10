// Matches a bank's list of incoming transfers with invoices, by the invoice number that the payer gave.
import { readFile, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  invoiceNumber,
  invoiceNumbersIn,
  listInvoicesByNumber,
  PaymentRefused,
  readTransfers,
  recordPayment,
  type IncomingTransfer,
} from '../../billing/index.ts';
import { formatPounds } from '../../money/amounts.ts';
import type { WrittenAct } from '../../platform/audit/write-act.ts';
import type { JobSender } from '../../platform/jobs/jobs.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { withJobs } from '../wiring/with-jobs.ts';
import { exitCodes } from './failure.ts';
import { addHelp } from './help.ts';
import { counted, pounds, print, table } from './printing.ts';
import {
  createProgressWriter,
  look,
  runAudited,
  withOperator,
  writeCommand,
  type OperatorDeps,
  type WriteOptions,
} from './run-command.ts';

type Result =
  | 'matched'
  | 'already_recorded'
  | 'recorded_otherwise'
  | 'no_invoice'
  | 'several_invoices'
  | 'wrong_amount'
  | 'wrong_date'
  | 'not_open';

interface MatchedLine {
  line: number;
  bankReference: string;
  receivedOn: string;
  amountPence: bigint;
  invoice: string | null;
  result: Result;
}

/** A month of a busy account has less. */
const mostBytes = 5_000_000;

async function readLines(file: string): Promise<IncomingTransfer[]> {
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile())
    throw new OperatorError(`There is no file ${file}. Nothing was recorded.`, 'not_found');
  if (found.size > mostBytes)
    throw new OperatorError('Use a file of at most 5 MB. Nothing was recorded.', 'file_wrong');
  return readTransfers(await readFile(file, 'utf8'));
}

function resultOf(error: unknown): Result {
  if (!(error instanceof PaymentRefused)) throw error;
  switch (error.outcome) {
    case 'recorded_before':
      return 'already_recorded';
    case 'part_paid':
    case 'too_much':
      return 'wrong_amount';
    case 'no_invoice':
    case 'recorded_otherwise':
    case 'wrong_date':
    case 'not_open':
      return error.outcome;
    case 'paid':
      throw error;
  }
}

type Named = ReadonlyMap<bigint, { id: string; partnerId: string }>;

/** One line is one transaction with its own audit entry: a run that was interrupted is repeated. */
async function matchLine(
  deps: OperatorDeps & { jobs: Pick<JobSender, 'enqueue'> },
  options: WriteOptions,
  { transfer, named }: { transfer: IncomingTransfer; named: Named },
): Promise<{ matched: MatchedLine; written: WrittenAct | null }> {
  const { line, bankReference, receivedOn, amount, reference } = transfer;
  const shown = { line, bankReference, receivedOn, amountPence: amount };
  const [number, ...others] = invoiceNumbersIn(reference);
  const invoice = number === undefined ? undefined : named.get(number);
  if (number === undefined || invoice === undefined || others.length > 0) {
    const result = others.length > 0 ? 'several_invoices' : 'no_invoice';
    return { matched: { ...shown, invoice: null, result }, written: null };
  }
  const { id: invoiceId, partnerId } = invoice;
  const { result, written } = await runAudited(deps, options, async (tx) => {
    const detail = { amount_gbp: formatPounds(amount), received_on: receivedOn, bank_reference: bankReference };
    const recorded = await deps.record(tx, { action: 'invoice.pay', subject: invoiceId, detail });
    const payment = { invoiceId, partnerId, amount, receivedOn, bankReference };
    await recordPayment(tx, deps.jobs, { ...payment, at: deps.clock.now(), mustSettle: true });
    return { result: 'matched' as const, written: recorded };
  }).catch((error: unknown) => ({ result: resultOf(error), written: null }));
  return { matched: { ...shown, invoice: invoiceNumber(number), result }, written };
}

const settled: ReadonlySet<Result> = new Set(['matched', 'already_recorded']);

function describe(lines: readonly MatchedLine[], dryRun: boolean): string {
  const rows = lines.map((one) => [
    String(one.line),
    one.result.replaceAll('_', ' '),
    one.invoice ?? '-',
    pounds(one.amountPence),
    one.receivedOn,
    one.bankReference,
  ]);
  const matched = lines.filter(({ result }) => result === 'matched');
  const sum = matched.reduce((total, { amountPence }) => total + amountPence, 0n);
  const left = lines.filter(({ result }) => !settled.has(result)).length;
  const ending = `${counted(matched.length, 'transfer')} ${dryRun ? 'would be recorded' : 'recorded'}, ${pounds(sum)}. ${counted(left, 'line')} left for a person.\n`;
  return `${table(['LINE', 'RESULT', 'INVOICE', 'AMOUNT', 'RECEIVED', 'BANK REFERENCE'], rows, 'The file has no transfers.')}${ending}`;
}

async function match(file: string, options: WriteOptions): Promise<void> {
  const { json, dryRun } = options;
  const transfers = await readLines(file);
  const numbers = [...new Set(transfers.flatMap(({ reference }) => invoiceNumbersIn(reference)))];
  const named = await look(async (tx) => listInvoicesByNumber(tx, numbers));
  const report = createProgressWriter(options);
  /** The newest entry of those that were written, one for each transfer. */
  let audit: WrittenAct | null = null;
  const lines = await withOperator('service', async (deps) =>
    withJobs(deps, async (jobs) => {
      const done: MatchedLine[] = [];
      for (const transfer of transfers) {
        const { matched, written } = await matchLine({ ...deps, jobs }, options, { transfer, named });
        done.push(matched);
        audit = dryRun ? null : (written ?? audit);
        if (done.length % 500 === 0) report(`${done.length} of ${transfers.length} transfers`);
      }
      return done;
    }),
  );
  print({ json }, { lines, dryRun, audit }, describe(lines, dryRun));
  process.exitCode = lines.every(({ result }) => settled.has(result)) ? exitCodes.done : exitCodes.found;
}

export function addMatchingTransfers(invoices: Command): void {
  const command = writeCommand(invoices.command('match'))
    .argument('<file>', 'CSV file of incoming transfers, with the header date,amount,reference,transfer_id')
    .description(
      'Record the incoming transfers that name an invoice and pay exactly what is left of it. Other lines are listed for a person: no invoice or several, another amount or date, or an invoice that is paid or void. Each transfer is recorded once by the bank’s id, so a file can be repeated and files can overlap. Exit code 1 if a line is left.',
    )
    .action(match);
  addHelp(command, {
    example: 'kelpie-admin invoices match transfers-2026-12-03.csv --dry-run',
    prints: 'One line per transfer with its result, then how many were recorded and how many are left for a person.',
  });
}
