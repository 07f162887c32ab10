import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  closeCase,
  correctCase,
  correctionLines,
  CorrectionRefused,
  findCase,
  listAdminCases,
  type Booking,
  type CorrectionProblem,
  type AdminCase,
} from '../../reconciliation/index.ts';
import { listEntries, type EntryRow, type Line } from '../../ledger/index.ts';
import { formatExactUsdc, parseUsdc, type MicroUsdc } from '../../money/amounts.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { partnerFilter } from './find-partner.ts';
import {
  writeCommand,
  runAudited,
  doneAsJson,
  idFrom,
  limited,
  look,
  readCommand,
  withOperator,
  describeDone,
  withReason,
  type ReadOptions,
  type WithReason,
} from './run-command.ts';
import { counted, describeEntry, describeLine, print, shortInstant, signedUsdc, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

const states = ['open', 'cleared', 'closed', 'all'];
const bookings = ['bank-to-suspense', 'suspense-to-wallet', 'bank-to-wallet'] as const satisfies readonly Booking[];

function rowOf(one: AdminCase): string[] {
  return [
    one.id,
    one.partner,
    one.environment,
    one.state,
    one.kind,
    signedUsdc(one.differenceMicroUsdc),
    shortInstant(one.openedAt),
    one.seen === null ? '-' : String(one.seen),
    one.detail,
  ];
}

interface ListOptions extends ReadOptions {
  partner?: string;
  state: string;
  kind?: string;
  limit: number;
}

function addList(cases: Command): void {
  const list = limited(readCommand(cases.command('list')))
    .description(
      'List cases that need an operator, newest first: differences from the bank, and payouts with a problem.',
    )
    .option('--partner <partner>', 'only cases of this partner (slug or id)')
    .addOption(
      new Option('--state <state>', 'only cases in this state; a cleared difference went away by itself')
        .choices(states)
        .default('open'),
    )
    .option('--kind <kind>', 'only cases of this kind, for example wallet_balance')
    .action(async ({ json, partner, state, kind, limit }: ListOptions) => {
      const found = await look(async (tx) =>
        listAdminCases(tx, {
          partnerId: await partnerFilter(tx, partner),
          state: state === 'all' ? null : state,
          kind: kind ?? null,
          atMost: limit,
        }),
      );
      const names = ['CASE', 'PARTNER', 'ENVIRONMENT', 'STATE', 'KIND', 'DIFFERENCE', 'OPENED', 'SEEN', 'DETAIL'];
      print({ json }, found, table(names, found.map(rowOf), 'No cases match.'));
    });
  addHelp(list, {
    example: 'kelpie-admin cases list --partner acme --state all',
    prints: 'One line per case: the difference (bank minus ledger), how many runs saw it, and a description.',
  });
}

type CaseView = Awaited<ReturnType<typeof readCase>>;

async function readCase(text: string) {
  const id = idFrom(text);
  const caseView = id === undefined ? null : await look(async (tx) => caseWithEntries(tx, id));
  if (caseView !== null) return caseView;
  throw new OperatorError(
    `No case has the id ${text}. \`kelpie-admin cases list --state all\` shows the ids.`,
    'not_found',
  );
}

async function caseWithEntries(tx: Transaction, id: string) {
  const caseView = await findCase(tx, id);
  if (caseView === null) return null;
  const transfers = caseView.history.flatMap((step) => step.transfer_ids);
  return {
    ...caseView.found,
    revision: caseView.history.length,
    history: caseView.history,
    entries: await listEntries(tx, transfers),
  };
}

function describeStep(step: CaseView['history'][number], entries: readonly EntryRow[]): string[] {
  const own = entries.filter(({ transfer_id: id }) => step.transfer_ids.includes(id));
  const head = `  ${step.at.toISOString()}  ${step.what.padEnd(9)}  ${step.by}: ${step.detail}`;
  return [head, ...own.map(describeEntry)];
}

function formatCase(caseView: CaseView): string {
  const { history, entries } = caseView;
  const lines = [
    `Case ${caseView.id}: ${caseView.state}, revision ${caseView.revision}`,
    `  ${caseView.kind}, partner ${caseView.partner}, ${caseView.environment}`,
    `  ${caseView.detail}`,
    ...(caseView.subject === null ? [] : [`  bank id ${caseView.subject}`]),
    ...(caseView.relatedId === null ? [] : [`  our id ${caseView.relatedId}`]),
    ...(caseView.differenceMicroUsdc === null
      ? []
      : [`  difference, bank minus ledger: ${signedUsdc(caseView.differenceMicroUsdc)}`]),
    ...(caseView.seen === null
      ? []
      : [`  seen by ${counted(Number(caseView.seen), 'run')}, last at ${shortInstant(caseView.lastSeenAt)}`]),
    ...(caseView.closedBy === null ? [] : [`  closed by ${caseView.closedBy}: ${caseView.closedReason ?? '-'}`]),
    '',
    'History',
    ...(history.length === 0 ? [`  ${caseView.openedAt.toISOString()}  opened`] : []),
    ...history.flatMap((step) => describeStep(step, entries)),
  ];
  return `${lines.join('\n')}\n`;
}

function addShow(cases: Command): void {
  const show = readCommand(cases.command('show'))
    .argument('<id>', 'case id')
    .description('Show a case with its history and ledger corrections.')
    .action(async (id: string, { json }: ReadOptions) => {
      const caseView = await readCase(id);
      print({ json }, caseView, formatCase(caseView));
    });
  addHelp(show, {
    example: 'kelpie-admin cases show 01a1e038-9db4-7712-8d7d-0b3df4df0d93',
    prints:
      'The difference, who closed it and why, and every step since it opened. Corrections show their ledger lines (DR debit, CR credit).',
  });
}

async function close(text: string, options: WithReason): Promise<void> {
  const { json, dryRun, reason } = options;
  const { id } = await readCase(text);
  const written = await withOperator('operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const recorded = await deps.record(tx, { action: 'case.close', subject: id, detail: { reason } });
      if (!(await closeCase(tx, { id, at: deps.clock.now(), reason })))
        throw new OperatorError(`Case ${id} is already closed.`, 'nothing_to_do');
      return recorded;
    }),
  );
  print({ json }, { id, ...doneAsJson(dryRun, written) }, describeDone(`Case ${id} is closed.`, dryRun, written));
}

function addClose(cases: Command): void {
  const command = withReason(writeCommand(cases.command('close')))
    .argument('<id>', 'case id')
    .description(
      'Close a case with a reason. Moves no money. If a later run sees the same difference, the case stays closed. A wallet balance that still differs opens a new case.',
    )
    .action(close);
  addHelp(command, {
    example: 'kelpie-admin cases close 01a1e038-9db4-7712-8d7d-0b3df4df0d93 --reason "bank confirms a test transfer"',
    prints: 'The closed case and its audit log entry.',
  });
}

interface CorrectOptions extends WithReason {
  book: Booking;
  amount: MicroUsdc;
  revision: number;
}

function revisionFrom(text: string): number {
  if (!/^\d{1,6}$/.test(text))
    throw new InvalidArgumentError('Use the revision that `kelpie-admin cases show` prints.');
  return Number(text);
}

function amountFrom(text: string): MicroUsdc {
  const isBelowZero = text.startsWith('-');
  const amount = parseUsdc(isBelowZero ? text.slice(1) : text);
  if (amount === undefined || amount === 0n)
    throw new InvalidArgumentError('Use an amount of USDC other than zero, for example 0.01 or -126.59.');
  return isBelowZero ? -amount : amount;
}

function refused(why: CorrectionProblem, { id, partner, environment, differenceMicroUsdc }: CaseView): OperatorError {
  const whose = `${partner} (${environment})`;
  const difference = signedUsdc(differenceMicroUsdc ?? 0n);
  const sentences: Readonly<Record<CorrectionProblem, string>> = {
    wallet_short: `The wallet balance of ${whose} is too low.`,
    revision_changed: `Case ${id} has changed since that revision. Check with \`kelpie-admin cases show ${id}\` whether this was already booked.`,
    case_closed: `Case ${id} is closed.`,
    beyond_difference: `The difference of case ${id} is ${difference}. With earlier corrections, this amount exceeds it or has the wrong sign.`,
    suspense_short: `The suspense balance of ${whose} is too low.`,
  };
  return new OperatorError(`${sentences[why]} Nothing changed.`, why);
}

async function correct(text: string, options: CorrectOptions): Promise<void> {
  const { json, dryRun, reason, book, amount, revision } = options;
  const caseView = await readCase(text);
  const { id, partner, environment } = caseView;
  const { transfers, written } = await withOperator('operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const detail = { book, amount_usdc: formatExactUsdc(amount), revision: String(revision), reason };
      const recorded = await deps.record(tx, { action: 'case.correct', subject: id, detail });
      const booked = correctionLines(book, amount).map((lines) => ({ id: newId(deps.clock), lines }));
      await correctCase(tx, { id, revision, at: deps.clock.now(), reason, transfers: booked });
      return { written: recorded, transfers: booked };
    }),
  ).catch((error: unknown) => {
    throw error instanceof CorrectionRefused ? refused(error.why, caseView) : error;
  });
  const lines = transfers.flatMap((transfer) => transfer.lines.map(describeBooked));
  const sentence = `Booked for ${partner} (${environment}):\n${lines.join('\n')}`;
  const done = { id, book, amountMicroUsdc: amount, transfers };
  print({ json }, { ...done, ...doneAsJson(dryRun, written) }, describeDone(sentence, dryRun, written));
}

function describeBooked({ account, amount }: Line): string {
  return `  ${describeLine(account, amount)}`;
}

function addCorrect(cases: Command): void {
  const command = withReason(writeCommand(cases.command('correct')))
    .argument('<id>', 'case id')
    .description(
      'Book a ledger correction for an open case. Use it when the bank is right and the ledger is wrong. bank-to-suspense books the difference into suspense. suspense-to-wallet moves it on to the partner’s wallet. bank-to-wallet does both. The correction cannot exceed the difference or the suspense balance. The case stays open until you close it or the difference clears.',
    )
    .addOption(new Option('--book <booking>', 'which accounts to book').choices(bookings).makeOptionMandatory())
    .requiredOption('--amount <usdc>', 'amount, for example 0.01; negative books the reverse', amountFrom)
    .requiredOption(
      '--revision <number>',
      'case revision from `cases show`, so that a repeated command is refused',
      revisionFrom,
    )
    .action(correct);
  addHelp(command, {
    example:
      'kelpie-admin cases correct 01a1e038-9db4-7712-8d7d-0b3df4df0d93 --book bank-to-suspense --amount 0.1 --revision 1 --reason fee',
    prints: 'The ledger lines (DR debit, CR credit) and the audit log entry.',
  });
}

export function addCaseCommands(kelpie: Command): void {
  const cases = kelpie
    .command('cases')
    .description('Resolve cases: differences from the bank, and payouts with a problem.');
  addList(cases);
  addShow(cases);
  addClose(cases);
  addCorrect(cases);
  addGroupHelp(cases, {
    about:
      'Kelpie never corrects a difference by itself. You investigate, book a correction if one is due, and close the case with a reason. docs/reconciliation.md explains each kind.',
    example: 'kelpie-admin cases list',
  });
}
