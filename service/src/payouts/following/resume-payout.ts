import type { FindOutcome, Payment } from '../../banks/index.ts';
import { instantOf } from '../../platform/ids.ts';
import { alarmOnCase } from './alarm-on-case.ts';
import { bankOf } from '../banks.ts';
import { followPayment } from './follow-payment.ts';
import type { Move, OpenCase, Step } from '../move.ts';
import type { PayoutDeps } from '../deps.ts';
import type { Payout } from '../payout.ts';
import { absentTooLongMs, closeOrLookAgain, nextLook, nextRetry, sendAgainWithinMs } from './schedules.ts';
import { searchPayment } from './search-payment.ts';
import { sendPayout } from './send-payout.ts';
import { findPayout, giveBackOpenPayout, type OpenPayout } from '../store.ts';

/** In a payout's history, for what was done without anybody asking. */
const worker = 'worker';

/**
 * Takes an open payout a step further, from wherever it was left: by a process that died, by a bank that did not answer, or
 * by nobody, because it was its time. Whoever is quicker wins; the other finds that out and does nothing.
 */
export async function resumePayout(deps: PayoutDeps, open: OpenPayout): Promise<void> {
  const payout = await findPayout(deps.calls, open, open.payoutId);
  if (payout === null) throw new Error('an open payout that is not there');
  switch (payout.state) {
    case 'sending':
    case 'pending':
      return findOutWhatBecame(deps, payout, open.hintedPaymentId);
    case 'processing':
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'returned':
      return look(deps, payout, open.hintedPaymentId);
    case 'not_created':
      return lookAtWhatNeverWas(deps, payout, open.hintedPaymentId);
  }
}

async function findOutWhatBecame(deps: PayoutDeps, payout: Payout, hintedPaymentId: string | null): Promise<void> {
  const hinted = await findHinted(deps, payout, hintedPaymentId);
  if (hinted.kind === 'found') return follow(deps, payout, hinted.payment);
  const age = deps.clock.now().getTime() - payout.firstTriedAt.getTime();
  return age < sendAgainWithinMs ? sendAgain(deps, payout) : search(deps, payout);
}

/** The payment that a webhook named, where it is this payout's. */
async function findHinted(deps: PayoutDeps, payout: Payout, paymentId: string | null): Promise<FindOutcome> {
  if (paymentId === null) return { kind: 'absent' };
  const found = await bankOf(deps.banks, payout.rail).findPayment(paymentId);
  const isOther = found.kind === 'found' && found.payment.ourReference !== payout.orderId;
  return isOther ? { kind: 'absent' } : found;
}

/** The identical order once more: a bank that has it replays its answer, and one that has not takes it now. */
async function sendAgain(deps: PayoutDeps, payout: Payout): Promise<void> {
  const attempts = payout.attempts + 1;
  const counted: Move = {
    at: deps.clock.now(),
    by: worker,
    steps: [{ to: payout.state, what: 'tried_again', detail: null, lines: [] }],
    learned: { attempts },
    afterwards: { kind: 'keep' },
  };
  if (!(await deps.commits.move({ payout, move: counted }))) return;
  const current = { ...payout, attempts, revision: payout.revision + 1 };
  await sendPayout(deps, current, { sender: { by: worker, requestId: null }, knownRecipientId: null });
}

/** The bank has forgotten the key by now, so the order is not sent again: only its own list can tell. */
async function search(deps: PayoutDeps, payout: Payout): Promise<void> {
  const at = deps.clock.now();
  const found = await searchPayment(deps, payout);
  if (found.kind === 'found') return follow(deps, payout, found.payment);
  if (found.kind === 'unknown') return giveBackOpenPayout(deps.calls, payout, nextRetry(at, instantOf(payout.id)));
  deps.logger.error({ payout_id: payout.id }, 'payout.not_found_at_bank');
  const steps: Step[] = [{ to: 'pending', what: 'not_found_at_bank', detail: null, lines: [] }];
  const openCase = { kind: 'not_found_at_bank', detail: 'sent or not is not known, and the bank does not list it' };
  // A person decides now. A webhook would still open it again.
  const move: Move = { at, by: worker, steps, learned: {}, openCase, afterwards: { kind: 'close' } };
  await deps.commits.move({ payout, move });
}

async function look(deps: PayoutDeps, payout: Payout, hintedPaymentId: string | null): Promise<void> {
  const { bankPaymentId } = payout;
  if (bankPaymentId === null) return giveBackOpenPayout(deps.calls, payout, null);
  if (hintedPaymentId !== null && hintedPaymentId !== bankPaymentId) {
    const other = await findHinted(deps, payout, hintedPaymentId);
    if (other.kind === 'found') return tellPerson(deps, payout, { kind: 'paid_twice', detail: other.payment.id });
  }
  const found = await bankOf(deps.banks, payout.rail).findPayment(bankPaymentId);
  if (found.kind === 'found') return follow(deps, payout, found.payment);
  if (found.kind === 'absent') return stillAbsent(deps, payout);
  await giveBackOpenPayout(deps.calls, payout, nextLook(deps.clock.now(), instantOf(payout.id)));
}

/** What the bank says of a payment that it accepted and now does not find; told once, as its word. */
const absentWord = 'absent';

/** A bank that says there is no such payment has been seen to settle it later: what it accepted stays accepted. */
async function stillAbsent(deps: PayoutDeps, payout: Payout): Promise<void> {
  deps.logger.warn({ payout_id: payout.id }, 'payout.absent_at_bank');
  const age = deps.clock.now().getTime() - instantOf(payout.id).getTime();
  if (age > absentTooLongMs && payout.bankState !== absentWord) {
    const detail = 'the bank accepted it, and does not find it any more';
    return tellPerson(deps, payout, { kind: 'absent_at_bank', detail }, absentWord);
  }
  await giveBackOpenPayout(deps.calls, payout, nextLook(deps.clock.now(), instantOf(payout.id)));
}

/** Nothing moves: a case is opened, and the payout is looked at further. */
async function tellPerson(deps: PayoutDeps, payout: Payout, openCase: OpenCase, bankState?: string): Promise<void> {
  const at = deps.clock.now();
  alarmOnCase(deps.logger, payout.id, openCase);
  const steps: Step[] = [{ to: payout.state, what: 'needs_attention', detail: openCase.kind, lines: [] }];
  const learned = bankState === undefined ? {} : { bankState };
  const afterwards = { kind: 'watch' as const, dueAt: nextLook(at, instantOf(payout.id)) };
  await deps.commits.move({ payout, move: { at, by: 'bank', steps, learned, openCase, afterwards } });
}

async function follow(deps: PayoutDeps, payout: Payout, payment: Payment): Promise<void> {
  const markups = await deps.markups.get(payout.pricePlan);
  const at = deps.clock.now();
  const { isOver, ...following } = followPayment(payout, payment, { at, markups });
  const dueAt = isOver ? null : nextLook(at, instantOf(payout.id));
  if (following.steps.length === 0) return giveBackOpenPayout(deps.calls, payout, dueAt);
  alarmOnCase(deps.logger, payout.id, following.openCase);
  const afterwards = closeOrLookAgain(payout, at, isOver);
  await deps.commits.move({ payout, move: { at, by: 'bank', ...following, afterwards } });
}

/** The bank has news of what it never accepted, as far as we were told. */
async function lookAtWhatNeverWas(deps: PayoutDeps, payout: Payout, hintedPaymentId: string | null): Promise<void> {
  const hinted = await findHinted(deps, payout, hintedPaymentId);
  // The hint is all that there is of it: a bank that does not answer now is asked again.
  if (hinted.kind === 'unknown')
    return giveBackOpenPayout(deps.calls, payout, nextRetry(deps.clock.now(), instantOf(payout.id)));
  if (hinted.kind === 'absent') return giveBackOpenPayout(deps.calls, payout, null);
  const { payment } = hinted;
  deps.logger.error({ payout_id: payout.id }, 'payout.paid_though_not_created');
  const openCase = { kind: 'paid_though_not_created', detail: `the bank has the payment ${payment.id}` };
  const steps: Step[] = [{ to: 'not_created', what: 'needs_attention', detail: payment.bankState, lines: [] }];
  const move: Move = { at: deps.clock.now(), by: 'bank', steps, learned: {}, openCase, afterwards: { kind: 'close' } };
  await deps.commits.move({ payout, move });
}
