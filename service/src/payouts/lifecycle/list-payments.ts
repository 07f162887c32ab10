import type { Bank, BankRecords, PaymentPage, PaymentRecord } from '../../banks/index.ts';

/** A hundred payments each: further back than the months within which a payment can still change. */
const mostPages = 5_000;

type Listing =
  /** The visitor had seen enough. */
  | 'stopped'
  | 'all_seen'
  /** The bank did not give all of it: what was not seen may be there all the same. */
  | 'broken_off';

/** Shows a visitor every payment that the bank has of a customer's, newest first, until it has seen enough. */
export async function listPayments(
  bank: Bank & Partial<BankRecords>,
  customerId: string,
  visit: (payment: PaymentRecord) => Promise<'go on' | 'stop'>,
): Promise<Listing> {
  let after: string | null = null;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page: PaymentPage | null = (await bank.listPayments?.(customerId, after)) ?? null;
    if (page === null) return 'broken_off';
    for (const payment of page.payments) if ((await visit(payment)) === 'stop') return 'stopped';
    if (page.next === null) return 'all_seen';
    after = page.next;
  }
  return 'broken_off';
}
