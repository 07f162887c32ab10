import { batchValues } from '../../platform/database/batch-call.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { isOrderId } from '../model/order.ts';
import { payoutCalls } from './calls.ts';
import { newsColumns, type WebhookNews } from './lease-columns.ts';

/** Ends a lease without a change: the payout is due again then, or never. */
export async function releasePayoutLease(
  calls: SingleCalls,
  payout: PartnerContext & { id: string },
  dueAt: Date | null,
): Promise<void> {
  await calls.call(payoutCalls.releaseLease, [payout.partnerId, payout.environment, payout.id, dueAt]);
}

export interface PayoutLease extends PartnerContext {
  payoutId: string;
  /** The bank's id of its payment, where a webhook told us before the bank's own answer did. */
  webhookPaymentId: string | null;
}

interface OpenRow {
  payout_id: string;
  partner_id: string;
  environment: PartnerContext['environment'];
  webhook_payment_id: string | null;
}

interface DueOptions {
  environment: PartnerContext['environment'];
  now: Date;
  leaseMs: number;
  most: number;
  /** Partners that have their share of this worker already. */
  fullPartners?: readonly string[];
}

/** Open payouts of an environment that are due, partners taking turns. They are the caller's until the lease ends. */
export async function claimDuePayouts(
  calls: SingleCalls,
  { environment, now, leaseMs, most, fullPartners = [] }: DueOptions,
): Promise<PayoutLease[]> {
  const values = [environment, now, `${leaseMs} milliseconds`, most, fullPartners];
  const rows = await calls.call<OpenRow>(payoutCalls.claimDue, values);
  return rows.map((row) => ({
    payoutId: row.payout_id,
    partnerId: row.partner_id,
    environment: row.environment,
    webhookPaymentId: row.webhook_payment_id,
  }));
}

interface NextDue {
  live: Date | null;
  sandbox: Date | null;
  /** Webhooks without a payout that are tried again. */
  webhooks: Date | null;
}

/** When the next of each is due; null where there is none. */
export async function findNextDue(calls: SingleCalls): Promise<NextDue> {
  const [due] = await calls.call<NextDue>(payoutCalls.nextDue, []);
  return due ?? { live: null, sandbox: null, webhooks: null };
}

/** Of each, whether its order is one of ours. */
export async function wakePayouts(calls: SingleCalls, news: readonly WebhookNews[]): Promise<boolean[]> {
  // What people paid at the bank has any reference, and is none of ours.
  const ours = news.filter(({ orderId }) => isOrderId(orderId));
  if (ours.length === 0) return news.map(() => false);
  const rows = await calls.call<{ place: number; is_known: boolean }>(payoutCalls.wake, batchValues(newsColumns, ours));
  const known = new Set(rows.filter((row) => row.is_known).map((row) => ours[row.place - 1]));
  return news.map((one) => known.has(one));
}

/** False where no payout of ours has this order, or the order has not the form of ours. */
export async function wakePayout(calls: SingleCalls, news: WebhookNews): Promise<boolean> {
  const [isKnown = false] = await wakePayouts(calls, [news]);
  return isKnown;
}
