import type { PaymentRecord } from '../../banks/index.ts';
import { bankOf } from '../model/banks.ts';
import { listPaymentsSince } from './list-payments.ts';
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

/** Looks through the bank's list of the partner's payments, newest first: it can't be asked for an order by our reference. */
export async function searchPayment(
  { banks, partnerEnvironments }: Pick<PayoutDeps, 'banks' | 'partnerEnvironments'>,
  order: Pick<Payout, 'partnerId' | 'environment' | 'rail' | 'orderId'>,
  { from = null, withinMs = Infinity }: SearchOptions = {},
): Promise<Search> {
  const { bankCustomerId } = await partnerEnvironments.get(order);
  const found: PaymentRecord[] = [];
  const isProof = await listPaymentsSince(
    bankOf(banks, order.rail),
    bankCustomerId,
    { from, withinMs },
    async (payment) => {
      if (payment.ourReference === order.orderId) found.push(payment);
    },
  );
  const [first, ...more] = found;
  if (first !== undefined) return { kind: 'found', payments: [first, ...more] };
  return { kind: isProof ? 'absent' : 'unknown' };
}
