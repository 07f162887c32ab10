import type { PaymentRecord } from '../../banks/index.ts';
import type { PayoutOrder } from '../model/order.ts';
import type { PayoutDeps } from '../lifecycle/deps.ts';
import { compareRecipient } from '../lifecycle/compare-recipient.ts';
import { sendAgainWithinMs } from '../lifecycle/schedules.ts';
import { searchPayment } from '../lifecycle/search-payment.ts';
import type { NewPayout } from '../records/create-payouts.ts';
import { wakePayout } from '../records/lease-store.ts';
import type { ResolvedOrder, Retry } from '../records/resolve-order.ts';

export type Round =
  /** The payout may be sent in this round. */
  | { kind: 'retry'; retry: Retry }
  /** The bank has its payment: nothing is sent. */
  | { kind: 'adopt'; retry: Retry; payment: PaymentRecord }
  /** The bank has a payment for this order that is not this payout. An operator has to look. */
  | { kind: 'in_question' }
  /** The bank's list could not be read to the end, so nothing may be sent. */
  | { kind: 'not_searched' };

interface Wanted {
  made: NewPayout;
  order: PayoutOrder;
}

/** A caller waits ten seconds at most, and the bank still has to be asked to pay after the search. */
const searchedWithinMs = 3_000;

/**
 * How an attempt of which nothing was sent is tried again. Our memory of it can be older than what the bank did, after a
 * restore, and the bank can have paid what it refused. Under the same key the bank answers with what it did. Under a new one
 * it would pay again, so its own list decides, from the order's first attempt on.
 */
export async function beginRound(
  deps: PayoutDeps,
  wanted: Wanted,
  { retry, needsNewRound, claimedAt }: Extract<ResolvedOrder, { kind: 'retry' }>,
): Promise<Round> {
  if (!needsNewRound) return { kind: 'retry', retry };
  const search = await searchPayment(deps, wanted.made.payout, { from: claimedAt, withinMs: searchedWithinMs });
  if (search.kind === 'unknown') return { kind: 'not_searched' };
  const at = deps.clock.now();
  if (search.kind === 'absent')
    return { kind: 'retry', retry: { ...retry, bankRound: retry.bankRound + 1, roundBeganAt: at } };
  const [payment, ...more] = search.payments;
  const compared = more.length > 0 ? 'other' : await compare(deps, wanted, payment);
  if (compared === 'unknown') return { kind: 'not_searched' };
  if (compared === 'other') return putInQuestion(deps, wanted.made, payment);
  // A worker never resends an order as old as this. If it takes over from us here, it searches the list too.
  const roundBeganAt = new Date(Math.min(retry.roundBeganAt.getTime(), at.getTime() - sendAgainWithinMs));
  return { kind: 'adopt', retry: { ...retry, roundBeganAt }, payment };
}

/** The worker looks at the payment next, and opens a case about it. */
export async function putInQuestion(
  { calls, clock }: PayoutDeps,
  { payout: { environment, orderId } }: NewPayout,
  { id: paymentId }: PaymentRecord,
): Promise<Extract<Round, { kind: 'in_question' }>> {
  await wakePayout(calls, { environment, orderId, paymentId, at: clock.now() });
  return { kind: 'in_question' };
}

const onItsWay: ReadonlySet<PaymentRecord['state']> = new Set(['accepted', 'under_way', 'arrived']);

/** Whether the payment pays what is asked for now, to the account that is named now, and has not come back. */
async function compare(
  deps: PayoutDeps,
  { made: { payout }, order: { recipient } }: Wanted,
  { pays, recipientId, state }: PaymentRecord,
): Promise<'same' | 'other' | 'unknown'> {
  if (pays !== payout.amount || !onItsWay.has(state)) return 'other';
  return compareRecipient(deps, payout, { recipient, recipientId });
}
