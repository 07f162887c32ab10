import type { PaymentNews } from '../../banks/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { isOrderId } from '../model/order.ts';
import { wakePayout } from '../records/lease-store.ts';
import { keepUnmatchedEvent } from '../records/webhook-event-store.ts';

const firstRetryMs = 1_000;

/**
 * A webhook only wakes it: it makes its payout due, and whoever looks after open payouts reads from the bank what is true. So a
 * hundred of the same do what one does. What we know nothing of is kept, and tried again.
 */
export async function receiveWebhook(
  { calls, clock }: { calls: SingleCalls; clock: Clock },
  environment: PartnerContext['environment'],
  news: PaymentNews,
): Promise<void> {
  const at = clock.now();
  const { eventId, paymentId, ourReference, isUnderWay } = news;
  const orderId = ourReference !== null && isOrderId(ourReference) ? ourReference : null;
  if (orderId !== null && (await wakePayout(calls, { environment, orderId, paymentId, at, isUnderWay }))) return;
  const dueAt = new Date(at.getTime() + firstRetryMs);
  await keepUnmatchedEvent(calls, { environment, eventId, paymentId, orderId }, { receivedAt: at, dueAt });
}
