import type { FindOutcome, Payment } from '../../banks/index.ts';
import type { PaymentBlock } from '../../partners/index.ts';
import { instantOf } from '../../platform/ids.ts';
import { RowTampered } from '../../platform/row-mac.ts';
import { alarmOnCase } from './alarm-on-case.ts';
import { bankOf } from '../model/banks.ts';
import { applyPaymentUpdate } from './apply-payment-update.ts';
import { caseOfDifference, differingFields, differsWord, isOnlySearched, namedRecipientOf } from './compare-answer.ts';
import type { Activity, Transition, OpenCase, TransitionStep } from '../model/transition.ts';
import type { PayoutDeps } from './deps.ts';
import type { Payout } from '../model/payout.ts';
import {
  absentTooLongMs,
  closeOrPollAgain,
  nextPollAt,
  nextRetry,
  refusalProvenAfterMs,
  sendAgainWithinMs,
} from './schedules.ts';
import { findPaymentBlock } from '../records/find-payment-block.ts';
import { openSealedRecipient } from '../records/encrypted-recipient.ts';
import { searchPayment } from './search-payment.ts';
import { recordFound, sendPayout } from './send-payout.ts';
import { findPayout } from '../records/payout-store.ts';
import { releasePayoutLease, type PayoutLease } from '../records/lease-store.ts';

/** No month leaves the database sooner. */
const archivedAfterMs = 365 * 24 * 3_600_000;
const askAgainMs = 3_600_000;

/** In a payout's history, for what was done without anybody asking. */
const worker = 'worker';

/**
 * Takes an open payout a step further, from wherever it was left: by a process that died, by a bank that did not answer, or
 * by nobody, because it was its time. Whoever is quicker wins; the other finds that out and does nothing.
 */
export async function resumePayout(deps: PayoutDeps, open: PayoutLease): Promise<void> {
  return resumeFound(deps, open, await findPayout(deps.calls, open, open.payoutId));
}

/** The same of one that was read after its lease was claimed. */
export async function resumeFound(deps: PayoutDeps, open: PayoutLease, payout: Payout | null): Promise<void> {
  if (payout === null) return leaveToOperators(deps, open);
  switch (payout.state) {
    case 'sending':
    case 'pending':
      return findOutWhatBecame(deps, payout, open.webhookPaymentId);
    case 'processing':
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'returned':
      return poll(deps, payout, open.webhookPaymentId);
    case 'not_created':
      return checkUnsentPayout(deps, payout, open.webhookPaymentId);
  }
}

/** The bank has news of a payout whose month has left the database. An operator brings the month back; until then it is due again. */
async function leaveToOperators(deps: PayoutDeps, { payoutId, ...of }: PayoutLease): Promise<void> {
  const age = deps.clock.now().getTime() - instantOf(payoutId).getTime();
  if (age < archivedAfterMs) throw new Error('an open payout that is not there');
  deps.logger.error({ payout_id: payoutId, month: instantOf(payoutId).toISOString().slice(0, 7) }, 'payout.archived');
  await releasePayoutLease(deps.calls, { ...of, id: payoutId }, new Date(deps.clock.now().getTime() + askAgainMs));
}

async function findOutWhatBecame(deps: PayoutDeps, payout: Payout, webhookPaymentId: string | null): Promise<void> {
  const notified = await findWebhookPayment(deps, payout, webhookPaymentId);
  if (notified.kind === 'found') return applyUpdate(deps, payout, notified.payment);
  const age = deps.clock.now().getTime() - payout.firstTriedAt.getTime();
  if (age >= sendAgainWithinMs || (isOnlySearched(payout) && age >= refusalProvenAfterMs)) return search(deps, payout);
  if (isOnlySearched(payout)) return searchAndWait(deps, payout);
  const block = await findPaymentBlock(deps.calls, payout);
  return block === null ? sendAgain(deps, payout) : searchWhileBlocked(deps, payout, block);
}

/**
 * Whoever sent it is gone, and did not record what the bank said. Where the bank has it, it is among its newest payments: one
 * read instead of a second order. Null where it is not there, or the bank did not say.
 */
async function findAmongNewest(deps: PayoutDeps, payout: Payout): Promise<Payment | null> {
  const { bankCustomerId } = await deps.partnerEnvironments.get(payout);
  const newest = await bankOf(deps.banks, payout.rail).listPayments?.(bankCustomerId, null);
  return newest?.payments.find(({ ourReference }) => ourReference === payout.orderId) ?? null;
}

/** The payment that a webhook named, where it is this payout's. */
async function findWebhookPayment(deps: PayoutDeps, payout: Payout, paymentId: string | null): Promise<FindOutcome> {
  if (paymentId === null) return { kind: 'absent' };
  const found = await bankOf(deps.banks, payout.rail).findPayment(paymentId);
  const isOther = found.kind === 'found' && found.payment.ourReference !== payout.orderId;
  return isOther ? { kind: 'absent' } : found;
}

/** The identical order once more: a bank that has it replays its answer, and one that has not takes it now. */
async function sendAgain(deps: PayoutDeps, payout: Payout): Promise<void> {
  const sender = { by: worker, requestId: null };
  // It would not leave: that is no attempt, and after an outage thousands of them would be counted.
  const readiness = bankOf(deps.banks, payout.rail).readiness?.() ?? 'ready';
  if (readiness !== 'ready') return waitAsPending(deps, payout, readiness);
  if (payout.state === 'sending') {
    const payment = await findAmongNewest(deps, payout);
    if (payment !== null) return void (await recordFound(deps, payout, { sender, payment }));
  }
  if (!isOurs(deps, payout)) return holdTampered(deps, payout);
  const attempts = payout.attempts + 1;
  const counted: Transition = {
    at: deps.clock.now(),
    by: worker,
    steps: [{ to: payout.state, what: 'tried_again', detail: null, lines: [] }],
    bankFacts: { attempts },
    schedule: { kind: 'keep' },
  };
  if (!(await deps.commits.applyTransition({ payout, transition: counted }))) return;
  const current = { ...payout, attempts, revision: payout.revision + 1 };
  await sendPayout(deps, current, { sender });
}

/** Whether the row still says what it said when the payout was created. */
function isOurs({ encryptor }: PayoutDeps, payout: Payout): boolean {
  try {
    openSealedRecipient(encryptor, payout);
    return true;
  } catch (error) {
    if (error instanceof RowTampered) return false;
    throw error;
  }
}

/** Its row was changed past us: it is not sent. An operator has to look at it. */
async function holdTampered(deps: PayoutDeps, payout: Payout): Promise<void> {
  const { id, partnerId } = payout;
  deps.logger.error({ action: 'payouts', payout_id: id, partner_id: partnerId }, 'row.tampered');
  await releasePayoutLease(deps.calls, payout, nextRetry(deps.clock.now(), instantOf(id)));
}

/** Nobody waits for the answer any more. */
function unansweredCreation({ createdBy }: Payout): Activity {
  return { action: 'payout.create', requestId: null, status: null, by: createdBy };
}

/** The bank may not list yet what it has. */
async function searchAndWait(deps: PayoutDeps, payout: Payout): Promise<void> {
  const found = await searchPayment(deps, payout, { from: payout.firstTriedAt });
  if (found.kind === 'found') return applyUpdate(deps, payout, found.payments[0]);
  await releasePayoutLease(deps.calls, payout, nextRetry(deps.clock.now(), instantOf(payout.id)));
}

/** Nothing is sent while payments are blocked. The bank may have the payment all the same; otherwise it waits. */
async function searchWhileBlocked(deps: PayoutDeps, payout: Payout, block: PaymentBlock): Promise<void> {
  const at = deps.clock.now();
  const found = await searchPayment(deps, payout, { from: payout.firstTriedAt });
  if (found.kind === 'found') return applyUpdate(deps, payout, found.payments[0]);
  // Live is closed for a recovery: its import decides what becomes of one that nobody has seen.
  if (block === 'recovery') return releasePayoutLease(deps.calls, payout, nextRetry(at, instantOf(payout.id)));
  return waitAsPending(deps, payout, block);
}

/** It is looked at again later. The caller of one that is still being sent is answered, and sees it from now on. */
async function waitAsPending(deps: PayoutDeps, payout: Payout, detail: string): Promise<void> {
  const at = deps.clock.now();
  const dueAt = nextRetry(at, instantOf(payout.id));
  if (payout.state === 'pending') return releasePayoutLease(deps.calls, payout, dueAt);
  const transition: Transition = {
    at,
    by: worker,
    steps: [{ to: 'pending', what: 'not_known', detail, lines: [] }],
    bankFacts: {},
    schedule: { kind: 'watch', dueAt },
    activity: unansweredCreation(payout),
  };
  await deps.commits.applyTransition({ payout, transition });
}

/** The bank has forgotten the key by now, so the order is not sent again: only its own list can tell. */
async function search(deps: PayoutDeps, payout: Payout): Promise<void> {
  const at = deps.clock.now();
  const found = await searchPayment(deps, payout);
  if (found.kind === 'found') return applyUpdate(deps, payout, found.payments[0]);
  if (found.kind === 'unknown') return releasePayoutLease(deps.calls, payout, nextRetry(at, instantOf(payout.id)));
  deps.logger.error({ payout_id: payout.id }, 'payout.not_found_at_bank');
  const steps: TransitionStep[] = [{ to: 'pending', what: 'not_found_at_bank', detail: null, lines: [] }];
  const openCase = { kind: 'not_found_at_bank', detail: 'the outcome is unknown and the bank does not list it' };
  // A person decides now. A webhook would still open it again.
  const transition: Transition = { at, by: worker, steps, bankFacts: {}, openCase, schedule: { kind: 'close' } };
  await deps.commits.applyTransition({ payout, transition });
}

async function poll(deps: PayoutDeps, payout: Payout, webhookPaymentId: string | null): Promise<void> {
  const { bankPaymentId } = payout;
  if (bankPaymentId === null) return checkUnsentPayout(deps, payout, webhookPaymentId);
  if (webhookPaymentId !== null && webhookPaymentId !== bankPaymentId) {
    const other = await findWebhookPayment(deps, payout, webhookPaymentId);
    if (other.kind === 'found') return alertOperator(deps, payout, { kind: 'paid_twice', detail: other.payment.id });
  }
  const found = await bankOf(deps.banks, payout.rail).findPayment(bankPaymentId);
  if (found.kind === 'found') return applyUpdate(deps, payout, found.payment);
  if (found.kind === 'absent') return stillAbsent(deps, payout);
  await releasePayoutLease(deps.calls, payout, nextPollAt(deps.clock.now(), instantOf(payout.id)));
}

/** What the bank says of a payment that it accepted and now does not find; told once, as its word. */
const absentWord = 'absent';

/** A bank that says there is no such payment has been seen to settle it later: what it accepted stays accepted. */
async function stillAbsent(deps: PayoutDeps, payout: Payout): Promise<void> {
  deps.logger.warn({ payout_id: payout.id }, 'payout.absent_at_bank');
  const age = deps.clock.now().getTime() - instantOf(payout.id).getTime();
  if (age > absentTooLongMs && payout.bankState !== absentWord) {
    const detail = 'the bank accepted it but no longer finds it';
    return alertOperator(deps, payout, { kind: 'absent_at_bank', detail }, absentWord);
  }
  await releasePayoutLease(deps.calls, payout, nextPollAt(deps.clock.now(), instantOf(payout.id)));
}

/** Nothing moves: a case is opened, and the payout is looked at further. */
async function alertOperator(deps: PayoutDeps, payout: Payout, openCase: OpenCase, bankState?: string): Promise<void> {
  const at = deps.clock.now();
  alarmOnCase(deps.logger, payout.id, openCase);
  // The caller of one that is still being sent is answered, and sees it from now on.
  const isSending = payout.state === 'sending';
  const to = isSending ? 'pending' : payout.state;
  const transition: Transition = {
    at,
    by: 'bank',
    steps: [{ to, what: 'needs_attention', detail: openCase.kind, lines: [] }],
    bankFacts: bankState === undefined ? {} : { bankState },
    openCase,
    schedule: { kind: 'watch', dueAt: nextPollAt(at, instantOf(payout.id)) },
    ...(isSending ? { activity: unansweredCreation(payout) } : {}),
  };
  await deps.commits.applyTransition({ payout, transition });
}

/** What the bank has for it, and has become of it since. */
export async function applyUpdate(deps: PayoutDeps, payout: Payout, payment: Payment): Promise<void> {
  const fields = differingFields(payout, payment, namedRecipientOf(deps, payout));
  if (fields.length > 0) return reportDifference(deps, payout, caseOfDifference(payment, fields));
  const markups = await deps.markups.get(payout.pricePlan);
  const at = deps.clock.now();
  const { isOver, ...update } = applyPaymentUpdate(payout, payment, { at, markups });
  const dueAt = isOver ? null : nextPollAt(at, instantOf(payout.id));
  if (update.steps.length === 0) return releasePayoutLease(deps.calls, payout, dueAt);
  alarmOnCase(deps.logger, payout.id, update.openCase);
  const schedule = closeOrPollAgain(payout, at, isOver);
  await deps.commits.applyTransition({ payout, transition: { at, by: 'bank', ...update, schedule } });
}

/** What the bank says is not about this payout. It opens a case once, and changes nothing, however often it is read. */
async function reportDifference(deps: PayoutDeps, payout: Payout, openCase: OpenCase): Promise<void> {
  if (payout.bankState !== differsWord) return alertOperator(deps, payout, openCase, differsWord);
  // A person decides of one that was never accepted. A webhook would still open it again.
  const isWatched = payout.state !== 'pending';
  const dueAt = isWatched ? nextPollAt(deps.clock.now(), instantOf(payout.id)) : null;
  await releasePayoutLease(deps.calls, payout, dueAt);
}

/** The bank has news of what it never accepted, as far as we were told, and whose hold was given back. */
async function checkUnsentPayout(deps: PayoutDeps, payout: Payout, webhookPaymentId: string | null): Promise<void> {
  const notified = await findWebhookPayment(deps, payout, webhookPaymentId);
  // The webhook is all that there is of it: a bank that does not answer now is asked again.
  if (notified.kind === 'unknown')
    return releasePayoutLease(deps.calls, payout, nextRetry(deps.clock.now(), instantOf(payout.id)));
  if (notified.kind === 'absent') return releasePayoutLease(deps.calls, payout, null);
  const { payment } = notified;
  const kind = payout.state === 'not_created' ? 'paid_though_not_created' : 'paid_though_failed';
  deps.logger.error({ payout_id: payout.id, action: kind }, 'payout.paid_though_not_created');
  const transition: Transition = {
    at: deps.clock.now(),
    by: 'bank',
    steps: [{ to: payout.state, what: 'needs_attention', detail: payment.bankState, lines: [] }],
    bankFacts: {},
    openCase: { kind, detail: `the bank has payment ${payment.id}` },
    schedule: { kind: 'close' },
  };
  await deps.commits.applyTransition({ payout, transition });
}
