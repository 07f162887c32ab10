import type { Payment, PaymentPage } from '../banks/index.ts';
import { bankOf } from './banks.ts';
import type { PayoutParts } from './parts.ts';
import type { Payout } from './payout.ts';

type Search = { kind: 'found'; payment: Payment } | { kind: 'absent' } | { kind: 'unknown' };

/** A hundred payments a page: more than a partner makes in the days that such a search goes back. */
const mostPages = 500;

/** Pages through all that the bank has of the partner's, newest first: it can't be asked for an order by our reference. */
export async function searchPayment({ banks, sides }: PayoutParts, payout: Payout): Promise<Search> {
  const bank = bankOf(banks, payout.rail);
  const { bankCustomerId } = await sides.get(payout);
  let after: string | null = null;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page: PaymentPage | null = (await bank.listPayments?.(bankCustomerId, after)) ?? null;
    if (page === null) return { kind: 'unknown' };
    const payment = page.payments.find(({ ourReference }) => ourReference === payout.orderId);
    if (payment !== undefined) return { kind: 'found', payment };
    if (page.next === null) return { kind: 'absent' };
    after = page.next;
  }
  // Not all of it was seen, so nothing is proved.
  return { kind: 'unknown' };
}
