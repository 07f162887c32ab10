import { InvalidArgumentError, type Command } from 'commander';
import {
  findAdminInvoice,
  invoiceNumber,
  listAdminInvoices,
  shownStatus,
  verifyInvoices,
  type AdminInvoice,
} from '../../billing/index.ts';
import { formatPounds } from '../../money/amounts.ts';
import { killAtFailpoint, noFailpoint } from '../../platform/failpoint.ts';
import { parseMonth, type Month } from '../../platform/london-month.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { settings } from '../../platform/configuration/settings.ts';
import { describeRun, assertMonthIsOver, reportAsJson, runInvoicesByHand } from './run-invoices.ts';
import { partnerFilter } from './find-partner.ts';
import { exitCodes } from './failure.ts';
import {
  writeCommand,
  runAudited,
  chosenSettings,
  createSay,
  doneAs,
  idFrom,
  limited,
  look,
  readCommand,
  withOperator,
  sayDone,
  whileWorking,
  type WriteOptions,
  type ReadOptions,
  type OperatorDeps,
} from './run-command.ts';
import { counted, pounds, print, shortInstant, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

function monthFrom(text: string): Month {
  const month = parseMonth(text);
  if (month === undefined) throw new InvalidArgumentError('It is a month, as 2026-11.');
  return month;
}

interface ListOptions extends ReadOptions {
  partner?: string;
  period?: Month;
  overdue: boolean;
  limit: number;
}

/** With the number as people read it, and overdue where it is. */
function shown(invoice: AdminInvoice, now: Date) {
  return { ...invoice, number: invoiceNumber(invoice.number), status: shownStatus(invoice, now) };
}

function addList(invoices: Command): void {
  const list = limited(readCommand(invoices.command('list')))
    .description('Invoices of all partners, the newest first.')
    .option('--partner <partner>', 'only those of this partner: its short name, or its id')
    .option('--period <month>', 'only those of this month, as 2026-11', monthFrom)
    .option('--overdue', 'only those that were to be paid before today, and were not', false)
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
        print({ json }, found, table(names, rows, 'There are none.'));
      },
    );
  addHelp(list, {
    when: 'You want to know who owes what, or look for the number of an invoice.',
    examples: ['kelpie-admin invoices list --overdue', 'kelpie-admin invoices list --partner acme --json'],
    prints: 'a line an invoice. One is overdue when it was to be paid before now, which is 14 days after its issue.',
  });
}

function describeInvoice(invoice: ReturnType<typeof shown>): string {
  const lines = [
    `Invoice ${invoice.number} of ${invoice.partner} for ${invoice.period}: ${invoice.status}`,
    `  id ${invoice.id}`,
    `  issued ${invoice.issuedAt.toISOString()}, due ${invoice.dueAt.toISOString()}`,
    '',
    ...invoice.lines.map(
      ({ kind, description, amount }) =>
        `  ${`${kind === 'credit' ? '-' : ''}${formatPounds(amount)}`.padStart(12)}  ${description}`,
    ),
    `  ${formatPounds(invoice.total).padStart(12)}  in all, in pounds`,
    ...(invoice.carriedOut === 0n ? [] : [`  ${formatPounds(invoice.carriedOut)} of credit is left to the next.`]),
  ];
  return `${lines.join('\n')}\n`;
}

function addShow(invoices: Command): void {
  const show = readCommand(invoices.command('show'))
    .argument('<invoice>', 'its number, as KP-000012, or its id')
    .description('One invoice with its lines.')
    .action(async (text: string, { json }: ReadOptions) => {
      const [, digits] = /^(?:KP-)?(\d{1,12})$/i.exec(text) ?? [];
      const id = idFrom(text);
      const by = digits !== undefined ? { number: BigInt(digits) } : id !== undefined ? { id } : null;
      const invoice = await look(async (tx, now) => {
        const found = by === null ? null : await findAdminInvoice(tx, by);
        return found === null ? null : shown(found, now);
      });
      if (invoice === null)
        throw new OperatorError(
          `There is no invoice ${text}. \`kelpie-admin invoices list\` shows their numbers.`,
          'not_found',
        );
      print({ json }, invoice, describeInvoice(invoice));
    });
  addHelp(show, {
    when: 'A partner asks about its invoice. What is behind a line, the partner itself sees in the dashboard.',
    examples: ['kelpie-admin invoices show KP-000012'],
    prints: 'its lines in pounds; a credit is subtracted.',
  });
}

interface RunOptions extends WriteOptions {
  period: Month;
}

/**
 * The run is many commits, a partner each, so that it can be killed: the note of it is a commit of its own before them. For a
 * dry run each of them is undone.
 */
async function run(deps: OperatorDeps, options: RunOptions): Promise<void> {
  const { json, dryRun, period } = options;
  const testFailpoint = chosenSettings((get) => get(settings.testFailpoint));
  const failpoint = testFailpoint === null ? noFailpoint : killAtFailpoint(testFailpoint);
  assertMonthIsOver(period, deps.clock.now());
  const written = await runAudited(deps, options, async (tx) =>
    deps.record(tx, { action: 'invoices.run', subject: period, detail: {} }),
  );
  const report = await runInvoicesByHand(
    { ...deps, failpoint, say: createSay(options) },
    { upto: period, isTrial: dryRun },
  );
  const reported = describeRun(period, report, { isTrial: dryRun });
  print({ json }, { ...reportAsJson(period, report), ...doneAs(dryRun, written) }, sayDone(reported, dryRun, written));
  process.exitCode = report.failed === 0 ? exitCodes.done : exitCodes.found;
}

function addRun(invoices: Command): void {
  const command = writeCommand(invoices.command('run'))
    .description(
      'Issue the invoices of a month, and of those before it that were not invoiced. A worker does the same on the 1st; safe to repeat, to kill, and to run beside it. Exit code 1 where a partner could not be invoiced.',
    )
    .requiredOption('--period <month>', 'the month, as 2026-11; it has to be over, by the clocks of London', monthFrom)
    .action(async (options: RunOptions) => withOperator(options, 'service', async (deps) => run(deps, options)));
  addHelp(command, {
    when: 'The monthly run did not happen, or failed for some partners and you do not want to wait for the next hour.',
    examples: [
      'kelpie-admin invoices run --period 2026-11 --dry-run',
      'kelpie-admin invoices run --period 2026-11 --operator ada@kelpie.example',
    ],
    prints:
      'how many invoices there are now, from which number to which, and their sum; how far it is meanwhile. A dry run reckons every one of them and keeps none.',
  });
}

function addVerify(invoices: Command): void {
  const command = readCommand(invoices.command('verify'))
    .description(
      'Hold every invoice against the ledger, the one before it, and its number. Changes nothing; exit code 1 where something differs.',
    )
    .action(async ({ json }: ReadOptions) => {
      const verification = await whileWorking({ json }, 'Adding up the invoices', async () => look(verifyInvoices));
      const { invoices: count, differences } = verification;
      const rows = differences.map((one) => `  ${one.kind}: ${one.what}, expected ${one.expected}, found ${one.found}`);
      const ending = rows.length === 0 ? 'no differences.' : `${counted(rows.length, 'difference')}.`;
      print({ json }, verification, `${[`Checked ${counted(count, 'invoice')}: ${ending}`, ...rows].join('\n')}\n`);
      process.exitCode = differences.length === 0 ? exitCodes.done : exitCodes.found;
    });
  addHelp(command, {
    when: 'Invoices were issued, and you want to be sure of them before somebody pays. `ledger verify` does it too.',
    examples: ['kelpie-admin invoices verify'],
    prints: 'how many were checked, and a line for each thing that differs: what, what it should be, and what it is.',
  });
}

export function addInvoiceCommands(kelpie: Command): void {
  const invoices = kelpie.command('invoices').description('Look after invoices.');
  addList(invoices);
  addShow(invoices);
  addRun(invoices);
  addVerify(invoices);
  addGroupHelp(invoices, {
    when: 'A worker issues them on the 1st, for the month before, by the clocks of London. docs/billing.md has the rest.',
    examples: ['kelpie-admin invoices list --overdue', 'kelpie-admin invoices run --period 2026-11 --dry-run'],
  });
}
