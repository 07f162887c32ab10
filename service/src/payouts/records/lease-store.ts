import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { isOrderId } from '../model/order.ts';
import { payoutCalls } from './calls.ts';

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

/** Open payouts that are due, of any partner. They are the caller's until the lease ends. */
export async function claimDuePayouts(
  calls: SingleCalls,
  { now, leaseMs, most }: { now: Date; leaseMs: number; most: number },
): Promise<PayoutLease[]> {
  const rows = await calls.call<OpenRow>(payoutCalls.claimDue, [now, `${leaseMs} milliseconds`, most]);
  return rows.map((row) => ({
    payoutId: row.payout_id,
    partnerId: row.partner_id,
    environment: row.environment,
    webhookPaymentId: row.webhook_payment_id,
  }));
}

interface WebhookNews {
  environment: PartnerContext['environment'];
  orderId: string;
  paymentId: string;
  at: Date;
  /** It says only that the payment is under way: no news of one that we know to be. */
  isUnderWay?: boolean;
}

/** False where no payout of ours has this order, or the order has not the form of ours. */
export async function wakePayout(calls: SingleCalls, news: WebhookNews): Promise<boolean> {
  const { environment, orderId, paymentId, at, isUnderWay = false } = news;
  if (!isOrderId(orderId)) return false;
  const values = [environment, orderId, paymentId, at, isUnderWay];
  const [row] = await calls.call<{ wake_payout: boolean }>(payoutCalls.wake, values);
  return row?.wake_payout === true;
}
