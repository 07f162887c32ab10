import type { Payment } from '../../banks/index.ts';
import { ledgerEvents } from '../../ledger/index.ts';
import type { MicroUsdc } from '../../money/amounts.ts';
import { raisedBy } from '../../platform/database/single-call.ts';
import { sqlStates } from '../../platform/database/sql-states.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { applyPaymentUpdate } from '../lifecycle/apply-payment-update.ts';
import { differingFields } from '../lifecycle/compare-answer.ts';
import type { PayoutDeps } from '../lifecycle/deps.ts';
import { compareRecipient } from '../lifecycle/compare-recipient.ts';
import { endAbsent } from '../lifecycle/end-absent.ts';
import { closeOrPollAgain } from '../lifecycle/schedules.ts';
import { searchPayment } from '../lifecycle/search-payment.ts';
import type { Payout } from '../model/payout.ts';
import type { Transition } from '../model/transition.ts';
import { applyTransitions } from '../records/apply-transitions.ts';
import { openRecipient } from '../records/encrypted-recipient.ts';
import type { Claim } from './store.ts';

// What two operators do about a payout that its own rules leave open. Each act searches the bank's list first, when it is
// proposed and again when it is approved, and is then one transition with its ledger entries and history.

type SearchDeps = Pick<PayoutDeps, 'banks' | 'partnerEnvironments' | 'clock'>;
type PaymentDeps = SearchDeps & Pick<PayoutDeps, 'markups' | 'encryptor'>;

export type PayoutActProblem =
  | 'wrong_state'
  | 'bank_unavailable'
  | 'payment_found'
  | 'payment_absent'
  | 'payments_several'
  | 'payment_differs'
  | 'amount_contradicted'
  | 'nothing_to_settle'
  | 'other_attempt'
  | 'payout_moved'
  | 'in_progress'
  | 'wallet_short';

/** Nothing was changed. */
export class PayoutActRefused extends Error {
  override readonly name = 'PayoutActRefused';
  readonly why: PayoutActProblem;

  constructor(why: PayoutActProblem) {
    super(why);
    this.why = why;
  }
}

/** A payout as it was read, and what its idempotency key says of its order. */
export interface ActedOn {
  payout: Payout;
  claim: Claim;
}

export interface PlannedAct {
  transition: Transition;
  /** What the bank said; null where it has no payment. */
  bankState: string | null;
}

/** A person waits for it, and a whole list may have to be read. */
const searchedWithinMs = 120_000;

async function search(deps: SearchDeps, { payout, claim }: ActedOn) {
  const found = await searchPayment(deps, payout, { from: claim.claimedAt, withinMs: searchedWithinMs });
  if (found.kind === 'unknown') throw new PayoutActRefused('bank_unavailable');
  return found;
}

/** Gives back the hold of a payout that the bank's list proves absent. */
export async function planRelease(deps: SearchDeps, acted: ActedOn, by: string): Promise<PlannedAct> {
  const { payout } = acted;
  if ((payout.state !== 'pending' && payout.state !== 'sending') || payout.bankPaymentId !== null)
    throw new PayoutActRefused('wrong_state');
  if ((await search(deps, acted)).kind === 'found') throw new PayoutActRefused('payment_found');
  return { transition: { at: deps.clock.now(), by, ...endAbsent(payout) }, bankState: null };
}

/** The one payment that the bank has for the order, if it is the named one and pays this payout to its account. */
async function getPayment(deps: PaymentDeps, acted: ActedOn, paymentId: string): Promise<Payment> {
  const { payout } = acted;
  const found = await search(deps, acted);
  if (found.kind === 'absent') throw new PayoutActRefused('payment_absent');
  const [payment, ...more] = found.payments;
  if (more.length > 0) throw new PayoutActRefused('payments_several');
  if (payment.id !== paymentId) throw new PayoutActRefused('payment_absent');
  if (payment.ourReference === null || differingFields(payout, payment, null).length > 0)
    throw new PayoutActRefused('payment_differs');
  const { recipientId } = payment;
  const recipient = openRecipient(deps.encryptor, payout);
  // What the bank leaves out is no difference, as everywhere.
  const compared = recipientId === null ? 'same' : await compareRecipient(deps, payout, { recipient, recipientId });
  if (compared === 'unknown') throw new PayoutActRefused('bank_unavailable');
  if (compared === 'other') throw new PayoutActRefused('payment_differs');
  return payment;
}

/** What two operators state where the bank is silent. */
export interface StatedAmounts {
  took: MicroUsdc | null;
  refunded: MicroUsdc | null;
}

function withStated(payment: Payment, { took, refunded }: StatedAmounts): Payment {
  const isContradicted =
    (took !== null && payment.taken !== null && took !== payment.taken) ||
    (refunded !== null && payment.refunded !== null && refunded !== payment.refunded);
  if (isContradicted) throw new PayoutActRefused('amount_contradicted');
  return { ...payment, taken: payment.taken ?? took, refunded: payment.refunded ?? refunded };
}

/** Takes a payout to where its payment is, with the amounts that the bank does not say. */
export async function planSettlement(
  deps: PaymentDeps,
  acted: ActedOn,
  { by, paymentId, stated }: { by: string; paymentId: string; stated: StatedAmounts },
): Promise<PlannedAct> {
  const { payout } = acted;
  if (payout.state === 'not_created') throw new PayoutActRefused('wrong_state');
  if (payout.bankPaymentId !== null && payout.bankPaymentId !== paymentId)
    throw new PayoutActRefused('payment_differs');
  const payment = withStated(await getPayment(deps, acted, paymentId), stated);
  const at = deps.clock.now();
  const markups = await deps.markups.get(payout.pricePlan);
  const { isOver, ...update } = applyPaymentUpdate(payout, payment, { at, markups });
  const isMoved = update.steps.some(({ to, lines }) => to !== payout.state || lines.length > 0);
  if (!isMoved) throw new PayoutActRefused('nothing_to_settle');
  const schedule = closeOrPollAgain(payout, at, isOver);
  return { transition: { at, by, ...update, schedule }, bankState: payment.bankState };
}

/** Binds a payout of which we thought that nothing was sent to the payment that the bank has for it. */
export async function planAdoption(
  deps: PaymentDeps,
  acted: ActedOn,
  { by, paymentId }: { by: string; paymentId: string },
): Promise<PlannedAct> {
  const { payout, claim } = acted;
  if (payout.state !== 'not_created') throw new PayoutActRefused('wrong_state');
  if (claim.payoutId !== payout.id || claim.isFree) throw new PayoutActRefused('other_attempt');
  const payment = await getPayment(deps, acted, paymentId);
  const at = deps.clock.now();
  const markups = await deps.markups.get(payout.pricePlan);
  const adopted: Payout = { ...payout, state: 'processing', bankPaymentId: payment.id, bankState: null };
  const { isOver, blockPartner: _, ...update } = applyPaymentUpdate(adopted, payment, { at, markups });
  const lines = ledgerEvents.heldAgain({ held: payout.walletDebit });
  const steps = [{ to: 'processing', what: 'adopted', detail: null, lines } as const, ...update.steps];
  const schedule = closeOrPollAgain(payout, at, isOver);
  return { transition: { at, by, ...update, steps, schedule }, bankState: payment.bankState };
}

const problems: Readonly<Record<string, PayoutActProblem>> = {
  [sqlStates.payoutMoved]: 'payout_moved',
  [sqlStates.payoutInProgress]: 'in_progress',
  [sqlStates.adoptionNotCovered]: 'wallet_short',
};

interface Performing {
  proposalId: string;
  /** As in the audit log, in which this transaction has recorded it. */
  action: string;
  payout: Payout;
  transition: Transition;
}

/** Takes the proposal and applies the transition, in this transaction of the service's role. */
export async function performPayoutAct(
  tx: Transaction,
  clock: PayoutDeps['clock'],
  { proposalId, action, payout, transition }: Performing,
): Promise<void> {
  try {
    await tx.query('select from kelpie.begin_payout_act($1, $2, $3, $4)', [proposalId, action, payout.id, clock.now()]);
  } catch (error) {
    const why = problems[raisedBy(error)?.code ?? ''];
    throw why === undefined ? error : new PayoutActRefused(why);
  }
  const calls = {
    call: async <Row extends object>({ text }: { text: string }, values: readonly unknown[]) =>
      (await tx.query<Row>(text, values)).rows,
  };
  const [isApplied] = await applyTransitions(calls, clock, [{ payout, transition }]);
  if (isApplied !== true) throw new PayoutActRefused('payout_moved');
}
