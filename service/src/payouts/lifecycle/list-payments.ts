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
async function listPayments(
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

/** The bank's clock and ours need not agree to the second, and a payment need not be listed in order to the second. */
const clockSkewMs = 60 * 60_000;

interface Since {
  /** Payments before it are not wanted. Null shows the whole list. */
  from: Date | null;
  /** How long it may take. */
  withinMs?: number;
}

/**
 * The same, back to an instant. Says whether what was not shown is not there: a list that broke off, or is out of order,
 * proves nothing.
 */
export async function listPaymentsSince(
  bank: Bank & Partial<BankRecords>,
  customerId: string,
  { from, withinMs = Infinity }: Since,
  visit: (payment: PaymentRecord) => Promise<void>,
): Promise<boolean> {
  const endsAt = performance.now() + withinMs;
  let newest = Infinity;
  let isProof = true;
  const listing = await listPayments(bank, customerId, async (payment) => {
    await visit(payment);
    const createdAt = payment.createdAt?.getTime() ?? newest;
    isProof &&= createdAt <= newest + clockSkewMs && performance.now() < endsAt;
    newest = Math.min(newest, createdAt);
    const isBehind = from !== null && createdAt < from.getTime() - clockSkewMs;
    return isBehind || !isProof ? 'stop' : 'go on';
  });
  return isProof && listing !== 'broken_off';
}
