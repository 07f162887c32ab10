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
  doneAs,
  idFrom,
  limited,
  look,
  readCommand,
  withOperator,
  sayDone,
  withReason,
  type ReadOptions,
  type WithReason,
} from './run-command.ts';
import { counted, describeEntry, exactUsdc, print, shortInstant, table } from './printing.ts';
import { addHelp, addGroupHelp } from './help.ts';

const states = ['open', 'gone', 'closed', 'all'];
const bookings = ['bank-to-suspense', 'suspense-to-wallet', 'bank-to-wallet'] as const satisfies readonly Booking[];

function rowOf(one: AdminCase): string[] {
  return [
    one.id,
    one.partner,
    one.environment,
    one.state,
    one.kind,
    exactUsdc(one.differenceMicroUsdc),
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
    .description('What a person has to look at, the newest first: differences from the bank, and payouts in trouble.')
    .option('--partner <partner>', 'only those of this partner: its short name, or its id')
    .addOption(new Option('--state <state>', 'only those in this state').choices(states).default('open'))
    .option('--kind <kind>', 'only those of this kind, as wallet_balance')
    .action(async ({ json, partner, state, kind, limit }: ListOptions) => {
      const found = await look(async (tx) =>
        listAdminCases(tx, {
          partnerId: await partnerFilter(tx, partner),
          state: state === 'all' ? null : state,
          kind: kind ?? null,
          atMost: limit,
        }),
      );
      const names = ['CASE', 'PARTNER', 'ENVIRONMENT', 'STATE', 'KIND', 'DIFFERENCE', 'OPENED', 'SEEN', 'WHAT'];
      print({ json }, found, table(names, found.map(rowOf), 'There are none.'));
    });
  addHelp(list, {
    when: 'Each morning, after the comparison with the bank; or the alarm `reconciliation.case_opened` rang.',
    examples: ['kelpie-admin cases list', 'kelpie-admin cases list --partner acme --state all'],
    prints:
      'a line a case: what the bank has more or less than our books, how many runs saw it, and what it is in words.',
  });
}

type CaseView = Awaited<ReturnType<typeof readCase>>;

async function readCase(text: string) {
  const id = idFrom(text);
  const caseView = id === undefined ? null : await look(async (tx) => caseWithEntries(tx, id));
  if (caseView !== null) return caseView;
  throw new OperatorError(`There is no case ${text}. \`kelpie-admin cases list\` shows their ids.`, 'not_found');
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
    ...(caseView.subject === null ? [] : [`  at the bank ${caseView.subject}`]),
    ...(caseView.relatedId === null ? [] : [`  in our books ${caseView.relatedId}`]),
    ...(caseView.differenceMicroUsdc === null
      ? []
      : [`  the bank less our books: ${exactUsdc(caseView.differenceMicroUsdc)} USDC`]),
    ...(caseView.seen === null
      ? []
      : [`  seen by ${counted(Number(caseView.seen), 'run')}, the last at ${shortInstant(caseView.lastSeenAt)}`]),
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
    .argument('<id>', 'the id of the case')
    .description(
      'The whole story of one case: what differs, since when, what was booked for it, who closed it and why.',
    )
    .action(async (id: string, { json }: ReadOptions) => {
      const caseView = await readCase(id);
      print({ json }, caseView, formatCase(caseView));
    });
  addHelp(show, {
    when: 'You look into a case. What it is about, `kelpie-admin payouts show` or `kelpie-admin deposits show` tells.',
    examples: ['kelpie-admin cases show 01a1e038-9db4-7712-8d7d-0b3df4df0d93'],
    prints: 'what differs, and every step since; below a correction the lines of the ledger, a debit above zero.',
  });
}

async function close(text: string, options: WithReason): Promise<void> {
  const { json, dryRun, reason } = options;
  const { id } = await readCase(text);
  const written = await withOperator(options, 'operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const recorded = await deps.record(tx, { action: 'case.close', subject: id, detail: { reason } });
      if (!(await closeCase(tx, { id, at: deps.clock.now(), reason })))
        throw new OperatorError(`Case ${id} is closed already.`, 'nothing_to_do');
      return recorded;
    }),
  );
  print({ json }, { id, ...doneAs(dryRun, written) }, sayDone(`Case ${id} is closed.`, dryRun, written));
}

function addClose(cases: Command): void {
  const command = withReason(writeCommand(cases.command('close')))
    .argument('<id>', 'the id of the case')
    .summary('Close a case: somebody has looked, and says why nothing more is to be done.')
    .description(
      'Close a case: somebody has looked, and says why nothing more is to be done. Moves no money. The very same difference stays closed when it is seen again; that of a balance opens a new case, for as long as it is there.',
    )
    .action(close);
  addHelp(command, {
    when: 'It is clear how the difference came about, and what is to be booked for it is booked.',
    examples: ['kelpie-admin cases close 01a1e038-9db4-7712-8d7d-0b3df4df0d93 --reason "its own test, says the bank"'],
    prints: 'that it is closed, and where that stands in the log of the operators.',
  });
}

interface CorrectOptions extends WithReason {
  book: Booking;
  amount: MicroUsdc;
  revision: number;
}

function revisionFrom(text: string): number {
  if (!/^\d{1,6}$/.test(text))
    throw new InvalidArgumentError('It is a whole number, as `kelpie-admin cases show` tells it.');
  return Number(text);
}

function amountFrom(text: string): MicroUsdc {
  const isBelowZero = text.startsWith('-');
  const amount = parseUsdc(isBelowZero ? text.slice(1) : text);
  if (amount === undefined || amount === 0n)
    throw new InvalidArgumentError('It is an amount of USDC, as 0.01 or -126.59.');
  return isBelowZero ? -amount : amount;
}

function refused(why: CorrectionProblem, { id, partner, environment, differenceMicroUsdc }: CaseView): OperatorError {
  const whose = `${partner} (${environment})`;
  const differs = exactUsdc(differenceMicroUsdc ?? 0n);
  const sentences: Readonly<Record<CorrectionProblem, string>> = {
    wallet_short: `The wallet of ${whose} does not hold as much.`,
    revision_changed: `Case ${id} is not at that revision: was this booked before? \`kelpie-admin cases show ${id}\` tells.`,
    case_closed: `Case ${id} is closed.`,
    beyond_difference: `Case ${id} differs by ${differs} USDC: with what was booked for it, that is more, or the other way.`,
    suspense_short: `There is not as much in suspense for ${whose}.`,
  };
  return new OperatorError(`${sentences[why]} Nothing was booked.`, why);
}

async function correct(text: string, options: CorrectOptions): Promise<void> {
  const { json, dryRun, reason, book, amount, revision } = options;
  const caseView = await readCase(text);
  const { id, partner, environment } = caseView;
  const { transfers, written } = await withOperator(options, 'operator', async (deps) =>
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
  const sentence = `Booked for ${partner} (${environment}), a debit above zero:\n${lines.join('\n')}`;
  const done = { id, book, amountMicroUsdc: amount, transfers };
  print({ json }, { ...done, ...doneAs(dryRun, written) }, sayDone(sentence, dryRun, written));
}

function describeBooked({ account, amount }: Line): string {
  return `  ${account.padEnd(12)} ${`${formatExactUsdc(amount)} USDC`.padStart(20)}`;
}

function addCorrect(cases: Command): void {
  const command = withReason(writeCommand(cases.command('correct')))
    .argument('<id>', 'the id of the case that it is for')
    .summary('Book a correction in the ledger, for the partner and environment of an open case.')
    .description(
      'Book a correction in the ledger, for the partner and environment of an open case. What the bank has more (or less) than our books goes to suspense, which belongs to nobody yet; from there, or at once, to the partner’s wallet. At the bank no more is booked than the case differs by, and nothing is given out of suspense that is not there. The case stays open until it is closed, or a run finds that the difference is gone.',
    )
    .addOption(new Option('--book <from-to>', 'from where to where').choices(bookings).makeOptionMandatory())
    .requiredOption('--amount <usdc>', 'how much, as 0.01; with a minus it goes the other way', amountFrom)
    .requiredOption(
      '--revision <number>',
      'which one of the case you looked at, as `cases show` tells it: the same command again is refused',
      revisionFrom,
    )
    .action(correct);
  addHelp(command, {
    when: 'It is clear why the bank keeps more or less than our books say, and the bank is right.',
    examples: [
      'kelpie-admin cases correct 01a1e038-9db4-7712-8d7d-0b3df4df0d93 --book bank-to-suspense --amount 0.1 --revision 1 --reason fee',
    ],
    prints: 'the lines of the ledger, a debit above zero, and where that stands in the log of the operators.',
  });
}

export function addCaseCommands(kelpie: Command): void {
  const cases = kelpie
    .command('cases')
    .description('What a person has to look at: differences from the bank, and payouts in trouble.');
  addList(cases);
  addShow(cases);
  addClose(cases);
  addCorrect(cases);
  addGroupHelp(cases, {
    when: 'Nothing is mended in silence: a person looks, books a correction where one is due, and closes the case with a reason. docs/reconciliation.md says what each kind means.',
    examples: ['kelpie-admin cases list', 'kelpie-admin cases show 01a1e038-9db4-7712-8d7d-0b3df4df0d93'],
  });
}
