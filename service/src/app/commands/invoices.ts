import { InvalidArgumentError, type Command } from 'commander';
import {
  invoiceNumber,
  listAdminInvoices,
  listPayments,
  shownStatus,
  verifyInvoices,
  verifyOutstanding,
  verifyPayments,
  type AdminInvoice,
  type RecordedPayment,
} from '../../billing/index.ts';
import { everything } from '../../ledger/index.ts';
import { killAtFailpoint, noFailpoint } from '../../platform/failpoint.ts';
import { parseMonth, type Month } from '../../platform/london-month.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { settings } from '../../platform/configuration/settings.ts';
import { describeRun, assertMonthIsOver, reportAsJson, runInvoicesByHand } from './run-invoices.ts';
import { getInvoice } from './find-invoice.ts';
import { partnerFilter } from './find-partner.ts';
import { addInvoiceActs } from './invoice-acts.ts';
import { addMatchingTransfers } from './match-transfers.ts';
import { exitCodes } from './failure.ts';
import {
  writeCommand,
  runAudited,
  chosenSettings,
  createProgressWriter,
  doneAsJson,
  limited,
  look,
  readCommand,
  withOperator,
  describeDone,
  whileWorking,
  type WriteOptions,
  type ReadOptions,
  type OperatorDeps,
} from './run-command.ts';
import { counted, pounds, print, shortInstant, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

function monthFrom(text: string): Month {
  const month = parseMonth(text);
  if (month === undefined) throw new InvalidArgumentError('Use a month, for example 2026-11.');
  return month;
}

interface ListOptions extends ReadOptions {
  partner?: string;
  period?: Month;
  overdue: boolean;
  limit: number;
}

/** With its printed number, and `overdue` derived from the date. */
function shown(invoice: AdminInvoice, now: Date) {
  return { ...invoice, number: invoiceNumber(invoice.number), status: shownStatus(invoice, now) };
}

function addList(invoices: Command): void {
  const list = limited(readCommand(invoices.command('list')))
    .description('List invoices of all partners, newest first.')
    .option('--partner <partner>', 'only invoices of this partner (slug or id)')
    .option('--period <month>', 'only invoices of this month, for example 2026-11', monthFrom)
    .option('--overdue', 'only unpaid invoices past their due date', false)
    .action(
      async ({
        json,
        partner,
        period = null,
        overdue,
        limit,
      }: Omit<ListOptions, 'period'> & { period?: Month | null }) => {
        const found = await look(async (tx, now) => {
          const partnerId = await partnerFilter(tx, partner);
          const filter = { partnerId, period, overdueAt: overdue ? now : null, atMost: limit };
          return (await listAdminInvoices(tx, filter)).map((one) => shown(one, now));
        });
        const names = ['NUMBER', 'PARTNER', 'PERIOD', 'STATUS', 'TOTAL', 'ISSUED', 'DUE', 'ID'];
        const rows = found.map((one) => [
          one.number,
          one.partner,
          one.period,
          one.status,
          pounds(one.total),
          shortInstant(one.issuedAt),
          shortInstant(one.dueAt),
          one.id,
        ]);
        print({ json }, found, table(names, rows, 'No invoices match.'));
      },
    );
  addHelp(list, {
    example: 'kelpie-admin invoices list --overdue',
    prints:
      'One line per invoice: number, partner, period, status, total and dates. Invoices are due 14 days after issue.',
  });
}

function describePayment({ amountPence, receivedOn, bankReference, by }: RecordedPayment): string {
  return `  ${pounds(amountPence).padStart(16)}  received ${receivedOn}, ${bankReference}, recorded by ${by}`;
}

/** What happened to it after it was issued. */
function describeEvents({ status, total, paid, overdueAt, voidedAt, payments }: ShownInvoice): string[] {
  const isOpen = status === 'issued' || status === 'overdue';
  return [
    ...(overdueAt === null ? [] : [`  overdue since ${overdueAt.toISOString()}`]),
    ...(voidedAt === null ? [] : [`  void since ${voidedAt.toISOString()}`]),
    ...(payments.length === 0 ? [] : ['', ...payments.map(describePayment)]),
    ...(isOpen && paid > 0n ? [`  ${pounds(total - paid).padStart(16)}  left to pay`] : []),
  ];
}

type ShownInvoice = ReturnType<typeof shown> & { payments: readonly RecordedPayment[] };

function describeInvoice(invoice: ShownInvoice): string {
  const lines = [
    `Invoice ${invoice.number} of ${invoice.partner} for ${invoice.period}: ${invoice.status}`,
    `  id ${invoice.id}`,
    `  issued ${invoice.issuedAt.toISOString()}, due ${invoice.dueAt.toISOString()}`,
    '',
    ...invoice.lines.map(
      ({ kind, description, amount }) =>
        `  ${`${kind === 'credit' ? '-' : ''}${pounds(amount)}`.padStart(16)}  ${description}`,
    ),
    `  ${pounds(invoice.total).padStart(16)}  Total`,
    ...(invoice.carriedOut === 0n ? [] : [`  Credit carried to the next invoice: ${pounds(invoice.carriedOut)}`]),
    ...describeEvents(invoice),
  ];
  return `${lines.join('\n')}\n`;
}

function addShow(invoices: Command): void {
  const show = readCommand(invoices.command('show'))
    .argument('<invoice>', 'invoice number or id')
    .description('Show an invoice with its lines.')
    .action(async (text: string, { json }: ReadOptions) => {
      const invoice = await look(async (tx, now) => {
        const found = await getInvoice(tx, text);
        return { ...shown(found, now), payments: await listPayments(tx, found.id) };
      });
      print({ json }, invoice, describeInvoice(invoice));
    });
  addHelp(show, {
    example: 'kelpie-admin invoices show KP-000012',
    prints: 'Status, dates, every line in GBP (credits are negative), the total, and its payments.',
  });
}

interface RunOptions extends WriteOptions {
  period: Month;
}

/** One commit per partner, so that a killed run can be repeated. The audit entry is a commit before them. A dry run rolls all back. */
async function run(deps: OperatorDeps, options: RunOptions): Promise<void> {
  const { json, dryRun, period } = options;
  const testFailpoint = chosenSettings((get) => get(settings.testFailpoint));
  const failpoint = testFailpoint === null ? noFailpoint : killAtFailpoint(testFailpoint);
  assertMonthIsOver(period, deps.clock.now());
  const written = await runAudited(deps, options, async (tx) =>
    deps.record(tx, { action: 'invoices.run', subject: period, detail: {} }),
  );
  const report = await runInvoicesByHand(
    { ...deps, failpoint, report: createProgressWriter(options) },
    { upto: period, isTrial: dryRun },
  );
  const reported = describeRun(period, report, { isTrial: dryRun });
  print(
    { json },
    { ...reportAsJson(period, report), ...doneAsJson(dryRun, written) },
    describeDone(reported, dryRun, written),
  );
  process.exitCode = report.failed === 0 ? exitCodes.done : exitCodes.found;
}

function addRun(invoices: Command): void {
  const command = writeCommand(invoices.command('run'))
    .description(
      'Issue the invoices of a month. Also issues those of earlier months that are missing. A worker does the same on the 1st. Safe to repeat, to interrupt, and to run alongside the worker. Exit code 1 if a partner could not be invoiced.',
    )
    .requiredOption('--period <month>', 'a month that has ended in London time, for example 2026-11', monthFrom)
    .action(async (options: RunOptions) => withOperator('service', async (deps) => run(deps, options)));
  addHelp(command, {
    example: 'kelpie-admin invoices run --period 2026-11 --dry-run',
    prints:
      'How many invoices were issued, their numbers and their total, with progress on standard error. A dry run calculates every invoice and keeps none.',
  });
}

/** Enough to see what kind of trouble it is. */
const mostDifferences = 100;

async function verify(tx: Transaction): ReturnType<typeof verifyInvoices> {
  const { invoices, differences } = await verifyInvoices(tx, everything);
  const ofPayments = await verifyPayments(tx, everything, mostDifferences);
  return { invoices, differences: [...differences, ...ofPayments, ...(await verifyOutstanding(tx, mostDifferences))] };
}

function addVerify(invoices: Command): void {
  const command = readCommand(invoices.command('verify'))
    .description(
      'Check every invoice against the ledger. Also checks payments, credit carried over and gaps in the numbers. `ledger verify` includes this check. Exit code 1 if there is a difference.',
    )
    .action(async ({ json }: ReadOptions) => {
      const verification = await whileWorking({ json }, 'Checking invoices', async () => look(verify));
      const { invoices: count, differences } = verification;
      const rows = differences.map((one) => `  ${one.kind}: ${one.what}, expected ${one.expected}, found ${one.found}`);
      const ending = rows.length === 0 ? 'no differences.' : `${counted(rows.length, 'difference')}.`;
      print({ json }, verification, `${[`Checked ${counted(count, 'invoice')}: ${ending}`, ...rows].join('\n')}\n`);
      process.exitCode = differences.length === 0 ? exitCodes.done : exitCodes.found;
    });
  addHelp(command, {
    example: 'kelpie-admin invoices verify',
    prints: 'How many invoices were checked, and one line per difference: the expected value and the value found.',
  });
}

export function addInvoiceCommands(kelpie: Command): void {
  const invoices = kelpie.command('invoices').description('List, issue, collect and verify invoices.');
  addList(invoices);
  addShow(invoices);
  addRun(invoices);
  addInvoiceActs(invoices);
  addMatchingTransfers(invoices);
  addVerify(invoices);
  addGroupHelp(invoices, {
    about:
      'A worker issues invoices on the 1st for the previous month, in London time. docs/billing.md has the details.',
    example: 'kelpie-admin invoices list --overdue',
  });
}
