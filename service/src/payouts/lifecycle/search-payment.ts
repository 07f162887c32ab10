import type { PaymentRecord } from '../../banks/index.ts';
import { bankOf } from '../model/banks.ts';
import { listPayments } from './list-payments.ts';
import type { PayoutDeps } from './deps.ts';
import type { Payout } from '../model/payout.ts';

type Search =
  | { kind: 'found'; payments: [PaymentRecord, ...PaymentRecord[]] }
  | { kind: 'absent' }
  | { kind: 'unknown' };

interface SearchOptions {
  /** When the order was first tried: its payments are not older. Without it the whole list is read. */
  from?: Date | null;
  /** How long it may take. */
  withinMs?: number;
}

/** The bank's clock and ours need not agree to the second, and a payment need not be listed in order to the second. */
const clockSkewMs = 60 * 60_000;

/**
 * Looks through the bank's list of the partner's payments, newest first: it can't be asked for an order by our reference.
 * A list that is out of order proves nothing of what it does not show.
 */
export async function searchPayment(
  { banks, partnerEnvironments }: Pick<PayoutDeps, 'banks' | 'partnerEnvironments'>,
  order: Pick<Payout, 'partnerId' | 'environment' | 'rail' | 'orderId'>,
  { from = null, withinMs = Infinity }: SearchOptions = {},
): Promise<Search> {
  const { bankCustomerId } = await partnerEnvironments.get(order);
  const endsAt = performance.now() + withinMs;
  const found: PaymentRecord[] = [];
  let newest = Infinity;
  let isProof = true;
  const listing = await listPayments(bankOf(banks, order.rail), bankCustomerId, async (payment) => {
    if (payment.ourReference === order.orderId) found.push(payment);
    const createdAt = payment.createdAt?.getTime() ?? newest;
    isProof &&= createdAt <= newest + clockSkewMs && performance.now() < endsAt;
    newest = Math.min(newest, createdAt);
    const isBehind = from !== null && createdAt < from.getTime() - clockSkewMs;
    return isBehind || !isProof ? 'stop' : 'go on';
  });
  const [first, ...more] = found;
  if (first !== undefined) return { kind: 'found', payments: [first, ...more] };
  return { kind: isProof && listing !== 'broken_off' ? 'absent' : 'unknown' };
}
