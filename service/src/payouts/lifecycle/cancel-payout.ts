import type { Archive } from '../../archive/index.ts';
import type { Bank, Payment } from '../../banks/index.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import { alarmOnCase } from './alarm-on-case.ts';
import { bankOf } from '../model/banks.ts';
import { applyPaymentUpdate } from './apply-payment-update.ts';
import { differingFields, namedRecipientOf } from './compare-answer.ts';
import type { PayoutDeps } from './deps.ts';
import type { Payout, VisiblePayout } from '../model/payout.ts';
import { readPayout } from '../reading/read-payouts.ts';
import { closeOrPollAgain } from './schedules.ts';

function notCancellable(why: string): ApiError {
  return new ApiError({ code: 'payout_not_cancellable', message: `This payout cannot be cancelled: ${why}.` });
}

interface Canceller extends PartnerContext {
  by: string;
  requestId: string;
}

/** A payout changes under us seldom, and each time it comes nearer to its end. */
const mostTries = 5;

/** Stops a payout, where the bank still can. It is cancelled only once the bank's own record says so. Safe to repeat. */
export async function cancelPayout(
  deps: PayoutDeps & { archive: Archive },
  caller: Canceller,
  payoutId: string,
): Promise<{ payout: VisiblePayout; isRecorded: boolean }> {
  let isRecorded = false;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const payout = await readPayout(deps, caller, payoutId);
    if (payout.state === 'cancelled') return { payout, isRecorded };
    if (payout.state === 'pending') throw notCancellable('the bank has not confirmed it yet');
    if (payout.state !== 'processing' || payout.bankPaymentId === null) throw notCancellable(`it is ${payout.state}`);
    isRecorded = await cancelOnce(deps, caller, payout, payout.bankPaymentId);
  }
  throw new ApiError({ code: 'unavailable', message: 'This payout is being updated. Retry.' });
}

/** Says whether this was what cancelled it: its answer is written down then. */
async function cancelOnce(
  deps: PayoutDeps,
  { by, requestId }: Canceller,
  payout: Payout,
  paymentId: string,
): Promise<boolean> {
  const { banks, commits, clock, logger, markups } = deps;
  const payment = await askToCancel(bankOf(banks, payout.rail), paymentId);
  if (differingFields(payout, payment, namedRecipientOf(deps, payout)).length > 0) throw notConfirmed();
  const charged = await markups.get(payout.pricePlan);
  const at = clock.now();
  const { isOver, ...update } = applyPaymentUpdate(payout, payment, { at, markups: charged });
  if (update.steps.length === 0) throw notCancellable('the bank has not returned the money yet');
  const schedule = closeOrPollAgain(payout, at, isOver);
  alarmOnCase(logger, payout.id, update.openCase);
  // Only what is cancelled is answered with 200: a cancellation without its refund is told to a person, and refused.
  const isCancelled = update.steps.at(-1)?.to === 'cancelled';
  const activity = isCancelled ? { activity: { action: 'payout.cancel', requestId, status: 200, by } as const } : {};
  // Where another was quicker, the next turn reads what it made of it.
  const isMoved = await commits.applyTransition({ payout, transition: { at, by, ...update, schedule, ...activity } });
  return isMoved && isCancelled;
}

/** The payment as the bank has it, cancelled: by this request, or by one that came before it. */
async function askToCancel(bank: Bank, paymentId: string): Promise<Payment> {
  const outcome = await bank.cancelPayment(paymentId);
  if (outcome.kind === 'cancelled') return outcome.payment;
  const found = outcome.kind === 'too_late' ? await bank.findPayment(paymentId) : outcome;
  if (found.kind === 'found' && found.payment.state === 'cancelled') return found.payment;
  if (found.kind === 'found') throw notCancellable('it is already on its way');
  throw notConfirmed();
}

function notConfirmed(): ApiError {
  return new ApiError({ code: 'unavailable', message: 'The bank did not confirm the cancellation. Retry.' });
}
