import type { Payment } from '../../banks/index.ts';
import { bankOf } from '../model/banks.ts';
import { listPayments } from './list-payments.ts';
import type { PayoutDeps } from './deps.ts';
import type { Payout } from '../model/payout.ts';

type Search = { kind: 'found'; payment: Payment } | { kind: 'absent' } | { kind: 'unknown' };

/** Looks through all that the bank has of the partner's: it can't be asked for an order by our reference. */
export async function searchPayment({ banks, partnerEnvironments }: PayoutDeps, payout: Payout): Promise<Search> {
  const { bankCustomerId } = await partnerEnvironments.get(payout);
  const found: Payment[] = [];
  const listing = await listPayments(bankOf(banks, payout.rail), bankCustomerId, async (payment) => {
    if (payment.ourReference !== payout.orderId) return 'go on';
    found.push(payment);
    return 'stop';
  });
  const [payment] = found;
  if (payment !== undefined) return { kind: 'found', payment };
  return { kind: listing === 'all_seen' ? 'absent' : 'unknown' };
}
