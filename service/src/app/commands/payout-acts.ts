// Acts of two operators on a payout that its own rules leave open: release, settle and adopt.
import { InvalidArgumentError, type Command } from 'commander';
import { createPartnerEnvironments, createPlanMarkups } from '../../partners/index.ts';
import {
  findClaim,
  PayoutActRefused,
  performPayoutAct,
  planAdoption,
  planRelease,
  planSettlement,
  readAuditTrail,
  type ActedOn,
  type PayoutActProblem,
  type PlannedAct,
} from '../../payouts/index.ts';
import { formatExactUsdc, parseUsdc, type MicroUsdc } from '../../money/amounts.ts';
import type { Proposal } from '../../platform/audit/proposal-store.ts';
import { settings } from '../../platform/configuration/settings.ts';
import { createSingleCalls } from '../../platform/database/single-call.ts';
import { createEncryptor } from '../../platform/encryption.ts';
import { noFailpoint } from '../../platform/failpoint.ts';
import { OperatorError } from '../../platform/operator-error.ts';
import { chooseBanks, openBanks } from '../wiring/banks.ts';
import { addHelp } from './help.ts';
import { exactUsdc, pounds } from './printing.ts';
import { ActMoved, propose, type ApprovedAct } from './propose.ts';
import {
  chosenSettings,
  idFrom,
  look,
  withOperator,
  withReason,
  writeCommand,
  type OperatorDeps,
  type WithReason,
} from './run-command.ts';

type Verb = 'release' | 'settle' | 'adopt';
type Detail = Proposal['detail'];

async function readActedOn(text: string): Promise<ActedOn> {
  const id = idFrom(text);
  const found = await look(async (tx) => {
    const trail = id === undefined ? null : await readAuditTrail(tx, id);
    const claim = trail === null ? null : await findClaim(tx, trail.payout.orderId);
    return trail === null || claim === null ? null : { payout: trail.payout, claim };
  });
  if (found !== null) return found;
  throw new OperatorError(`No payout has the id ${text}. \`kelpie-admin payouts stuck\` shows the ids.`, 'not_found');
}

const sentences: Readonly<Record<PayoutActProblem, string>> = {
  wrong_state: 'The payout is not in a state for this. Check with `kelpie-admin payouts show`.',
  bank_unavailable: 'The bank’s list could not be read to its end. Retry later.',
  payment_found: 'The bank has a payment for this payout. Settle it instead.',
  payment_absent: 'The bank does not list this payment for the payout.',
  payments_several: 'The bank has more than one payment for this payout. Recall the others first.',
  payment_differs: 'The payment has another reference, amount or recipient account than the payout.',
  amount_contradicted: 'The bank states another amount.',
  nothing_to_settle:
    'This would change nothing. If the bank does not state an amount, add it with --took or --refunded.',
  other_attempt:
    'The idempotency key stands for another attempt of this order, or is free. Only that attempt can pay it.',
  payout_moved: 'The payout has changed since it was proposed.',
  in_progress: 'A worker may be asking the bank to pay it right now. Retry in two minutes.',
  wallet_short: 'The wallet does not cover the payment.',
};

/** These can be otherwise in a minute, without anything having moved. */
const passing: ReadonlySet<PayoutActProblem> = new Set(['bank_unavailable', 'in_progress', 'wallet_short']);

function refused(error: unknown, isApproval: boolean): unknown {
  if (!(error instanceof PayoutActRefused)) return error;
  const message = `${sentences[error.why]} Nothing changed.`;
  return isApproval && !passing.has(error.why)
    ? new ActMoved(message, error.why)
    : new OperatorError(message, error.why);
}

function usdcIn(detail: Detail, name: string): MicroUsdc | null {
  const value = detail[name];
  return value === undefined || value === null ? null : BigInt(value);
}

/** Searches the bank, and says what the act would do. The bank is never called inside a transaction. */
async function plan(verb: Verb, acted: ActedOn, detail: Detail, deps: OperatorDeps): Promise<PlannedAct> {
  const { operator: by, clock, pool } = deps;
  const calls = createSingleCalls(pool, noFailpoint);
  const banks = openBanks(chosenSettings(chooseBanks), clock, noFailpoint);
  const searching = { banks, clock, partnerEnvironments: createPartnerEnvironments(calls) };
  if (verb === 'release') return planRelease(searching, acted, by);
  const encryptor = createEncryptor(chosenSettings((get) => get(settings.dataKeys)));
  const paying = { ...searching, markups: createPlanMarkups(calls), encryptor };
  const paymentId = String(detail['payment']);
  if (verb === 'adopt') return planAdoption(paying, acted, { by, paymentId });
  const stated = { took: usdcIn(detail, 'took_micro_usdc'), refunded: usdcIn(detail, 'refunded_micro_usdc') };
  return planSettlement(paying, acted, { by, paymentId, stated });
}

function describeAct({ payout }: ActedOn, { transition, bankState }: PlannedAct): string {
  const to = transition.steps.at(-1)?.to ?? payout.state;
  const lines = [
    `  ${pounds(payout.amount)}, ${exactUsdc(payout.walletDebit)} of the wallet, ${payout.state} to ${to}`,
    `  bank: ${bankState ?? 'no payment in its list'}`,
  ];
  return lines.join('\n');
}

async function proposeAct(verb: Verb, text: string, options: WithReason, named: Detail): Promise<void> {
  const acted = await readActedOn(text);
  const { id, revision } = acted.payout;
  await withOperator('service', async (deps) => {
    const planned = await plan(verb, acted, named, deps).catch((error: unknown) => {
      throw refused(error, false);
    });
    await propose(deps, options, {
      action: `payout.${verb}`,
      subject: id,
      revision: BigInt(revision),
      detail: { ...named, bank_state: planned.bankState, reason: options.reason },
      what: `${verb} payout ${id}:\n${describeAct(acted, planned)}`,
    });
  });
}

function approved(verb: Verb): ApprovedAct {
  return {
    as: 'service',
    async prepare({ id: proposalId, action, subject, revision, detail }, deps) {
      const acted = await readActedOn(subject);
      const { payout } = acted;
      if (BigInt(payout.revision) !== revision) throw new ActMoved(`${sentences.payout_moved} Nothing changed.`);
      const planned = await plan(verb, acted, detail, deps).catch((error: unknown) => {
        throw refused(error, true);
      });
      if (planned.bankState !== detail['bank_state'])
        throw new ActMoved('The bank shows another status than when it was proposed. Nothing changed.', 'bank_moved');
      return {
        async perform(tx) {
          const { transition } = planned;
          await performPayoutAct(tx, deps.clock, { proposalId, action, payout, transition }).catch((error: unknown) => {
            throw refused(error, true);
          });
          const state = transition.steps.at(-1)?.to ?? payout.state;
          return { sentence: `Payout ${payout.id} is ${state}:\n${describeAct(acted, planned)}`, shown: { state } };
        },
      };
    },
  };
}

/** What an approval of each does. */
export const payoutActs: readonly (readonly [string, ApprovedAct])[] = [
  ['payout.release', approved('release')],
  ['payout.settle', approved('settle')],
  ['payout.adopt', approved('adopt')],
];

function paymentFrom(text: string): string {
  if (!/^[!-~]{1,100}$/.test(text)) throw new InvalidArgumentError('Use the bank’s id of the payment.');
  return text;
}

function usdcFrom(text: string): MicroUsdc {
  const amount = parseUsdc(text);
  if (amount === undefined || amount === 0n)
    throw new InvalidArgumentError('Use an amount of USDC, for example 126.59.');
  return amount;
}

function actOnPayout(payouts: Command, verb: Verb): Command {
  return withReason(writeCommand(payouts.command(verb)).argument('<id>', 'payout id'));
}

const printsProposal = 'What approval would do, the proposal and the audit log entry.';
const payment = ['--payment <id>', 'the bank’s id of the payment', paymentFrom] as const;

interface SettleOptions extends WithReason {
  payment: string;
  took?: MicroUsdc;
  refunded?: MicroUsdc;
}

function statedDetail({ took, refunded }: SettleOptions): Detail {
  return {
    ...(took === undefined ? {} : { took_usdc: formatExactUsdc(took), took_micro_usdc: took.toString() }),
    ...(refunded === undefined
      ? {}
      : { refunded_usdc: formatExactUsdc(refunded), refunded_micro_usdc: refunded.toString() }),
  };
}

function addRelease(payouts: Command): void {
  const command = actOnPayout(payouts, 'release')
    .description(
      'Propose to release the hold of a payout that the bank never received. Searches the bank’s list, now and again at approval. The payout becomes failed, and the wallet gets its hold back. Takes effect after another operator approves.',
    )
    .action(async (id: string, options: WithReason) => proposeAct('release', id, options, {}));
  addHelp(command, {
    example: 'kelpie-admin payouts release 01a1dfa5-aff2-7036-a787-17b3198fc6ab --reason "not received, ticket 812"',
    prints: printsProposal,
  });
}

function addSettle(payouts: Command): void {
  const command = actOnPayout(payouts, 'settle')
    .description(
      'Propose to take a payout to where its payment is at the bank. Use it when the bank has the payment but does not say what it took or refunded, or when the payout is still pending. State the amount only where the bank is silent. The payment must have the payout’s reference, amount and account. Takes effect after another operator approves.',
    )
    .requiredOption(...payment)
    .option('--took <usdc>', 'what the bank debited, where it does not say', usdcFrom)
    .option('--refunded <usdc>', 'what the bank refunded, where it does not say', usdcFrom)
    .action(async (id: string, options: SettleOptions) =>
      proposeAct('settle', id, options, { payment: options.payment, ...statedDetail(options) }),
    );
  addHelp(command, {
    example: 'kelpie-admin payouts settle ID --payment tr_812 --took 126.59 --reason "statement line 14, ticket 812"',
    prints: printsProposal,
  });
}

function addAdopt(payouts: Command): void {
  const command = actOnPayout(payouts, 'adopt')
    .description(
      'Propose to bind a payout that was reported as not created to the payment that the bank made for it. Holds the money again, books what the bank took, and follows the payment to its end. Refused if the wallet does not cover it. The idempotency key then answers with this payout. Takes effect after another operator approves.',
    )
    .requiredOption(...payment)
    .action(async (id: string, options: WithReason & { payment: string }) =>
      proposeAct('adopt', id, options, { payment: options.payment }),
    );
  addHelp(command, {
    example: 'kelpie-admin payouts adopt ID --payment tr_812 --reason "the bank paid it, ticket 812"',
    prints: printsProposal,
  });
}

export function addPayoutActs(payouts: Command): void {
  addRelease(payouts);
  addSettle(payouts);
  addAdopt(payouts);
}
