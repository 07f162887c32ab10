import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  closeCase,
  closingActs,
  correctCase,
  correctionLines,
  CorrectionRefused,
  findCase,
  listAdminCases,
  type Booking,
  type ClosingAct,
  type CorrectionProblem,
  type AdminCase,
} from '../../reconciliation/index.ts';
import { listEntries, type EntryRow } from '../../ledger/index.ts';
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
import { ActMoved, propose, type ApprovedAct } from './propose.ts';

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
    ...(caseView.closedBy === null
      ? []
      : [`  closed by ${caseView.closedBy}, act ${caseView.closedAct ?? 'none'}: ${caseView.closedReason ?? '-'}`]),
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

interface CloseOptions extends WithReason {
  act: ClosingAct;
}

const notDone: Readonly<Record<ClosingAct, string>> = {
  released: 'No release of its payout was approved.',
  settled: 'No settlement of its payout was approved.',
  adopted: 'No adoption of its payout was approved.',
  corrected: 'No correction was booked for it.',
  none: 'It is about money, and the difference is still there.',
};

async function close(text: string, options: CloseOptions): Promise<void> {
  const { json, dryRun, act, reason } = options;
  const { id } = await readCase(text);
  const written = await withOperator('operator', async (deps) =>
    runAudited(deps, options, async (tx) => {
      const recorded = await deps.record(tx, { action: 'case.close', subject: id, detail: { act, reason } });
      switch (await closeCase(tx, { id, at: deps.clock.now(), act, reason })) {
        case 'closed':
          return recorded;
        case 'closed_before':
          throw new OperatorError(`Case ${id} is already closed.`, 'nothing_to_do');
        case 'not_done':
          throw new OperatorError(`Case ${id} stays open. ${notDone[act]}`, 'act_not_done');
      }
    }),
  );
  print({ json }, { id, act, ...doneAsJson(dryRun, written) }, describeDone(`Case ${id} is closed.`, dryRun, written));
}

function addClose(cases: Command): void {
  const command = withReason(writeCommand(cases.command('close')))
    .argument('<id>', 'case id')
    .description(
      'Close a case with the act that settled it. Moves no money. The act must have been done: an approved release, settlement or adoption of the payout, or a correction. `none` is for a difference that is gone, or no money at all. If a later run sees the same difference, the case stays closed. A wallet balance that still differs opens a new case.',
    )
    .addOption(new Option('--act <act>', 'what settled it').choices(closingActs).makeOptionMandatory())
    .action(close);
  addHelp(command, {
    example:
      'kelpie-admin cases close 01a1e038-9db4-7712-8d7d-0b3df4df0d93 --act corrected --reason "bank fee, ticket 812"',
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
  const changed = `Case ${id} has changed since that revision. Check with \`kelpie-admin cases show ${id}\` whether this was already booked. Nothing changed.`;
  const sentences: Readonly<Record<Exclude<CorrectionProblem, 'revision_changed'>, string>> = {
    wallet_short: `The wallet balance of ${whose} is too low.`,
    case_closed: `Case ${id} is closed.`,
    beyond_difference: `The difference of case ${id} is ${difference}. With earlier corrections, this amount exceeds it or what the balance differs by, or has the wrong sign.`,
    corrected_elsewhere: `Another case of ${whose} was corrected since the balance was last compared, and both can be about the same money. Run \`kelpie-admin reconcile run --partner ${partner}\` first.`,
    suspense_short: `The suspense balance of ${whose} is too low.`,
  };
  return why === 'revision_changed'
    ? new ActMoved(changed)
    : new OperatorError(`${sentences[why]} Nothing changed.`, why);
}

async function correct(text: string, options: CorrectOptions): Promise<void> {
  const { reason, book, amount, revision } = options;
  const caseView = await readCase(text);
  const { id, partner, environment, state } = caseView;
  if (state === 'closed') throw refused('case_closed', caseView);
  if (revision !== caseView.revision) throw refused('revision_changed', caseView);
  await withOperator('operator', async (deps) =>
    propose(deps, options, {
      action: 'case.correct',
      subject: id,
      revision: BigInt(revision),
      detail: { book, amount_usdc: formatExactUsdc(amount), amount_micro_usdc: amount.toString(), reason },
      what: `book for ${partner} (${environment}):\n${describeBooked(book, amount)}`,
    }),
  );
}

function describeBooked(book: Booking, amount: MicroUsdc): string {
  const lines = correctionLines(book, amount).flat();
  return lines.map((line) => `  ${describeLine(line.account, line.amount)}`).join('\n');
}

const isBooking = (text: unknown): text is Booking => bookings.some((one) => one === text);

/** What an approval of `cases correct` does. The database books what the proposal says. */
export const caseCorrection: ApprovedAct = {
  as: 'operator',
  async prepare({ id: proposalId, subject, detail: { book, amount_micro_usdc: micro } }, { clock }) {
    const caseView = await readCase(subject);
    if (!isBooking(book)) throw new OperatorError('The proposal names no booking.');
    const amount = BigInt(micro ?? 0);
    return {
      async perform(tx) {
        const transferIds = correctionLines(book, amount).map(() => newId(clock));
        await correctCase(tx, { id: subject, proposalId, at: clock.now(), transferIds }).catch((error: unknown) => {
          throw error instanceof CorrectionRefused ? refused(error.why, caseView) : error;
        });
        const whose = `${caseView.partner} (${caseView.environment})`;
        return {
          sentence: `Booked for ${whose}:\n${describeBooked(book, amount)}`,
          shown: { book, amountMicroUsdc: amount, transferIds },
        };
      },
    };
  },
};

function addCorrect(cases: Command): void {
  const command = withReason(writeCommand(cases.command('correct')))
    .argument('<id>', 'case id')
    .description(
      'Propose a ledger correction for an open case, for another operator to approve. Use it when the bank is right and the ledger is wrong. bank-to-suspense books the difference into suspense. suspense-to-wallet moves it on to the partner’s wallet. bank-to-wallet does both. The correction cannot exceed the difference of the case or of the balance, nor the suspense balance. The case stays open until you close it or the difference clears.',
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
    prints: 'The ledger lines (DR debit, CR credit) that approval books, the proposal and the audit log entry.',
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
      'Kelpie never corrects a difference by itself. You investigate, propose a correction if one is due, and close the case with the act that settled it. docs/reconciliation.md explains each kind.',
    example: 'kelpie-admin cases list',
  });
}
