import type { Payment, PaymentRecord } from '../../banks/index.ts';
import { listEnvironmentsAtBanks, type EnvironmentAtBank } from '../../partners/index.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction, inTransaction } from '../../platform/database/transaction.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { isOrderId } from '../model/order.ts';
import { findSearchedUntil, recordSearch } from '../records/late-return-store.ts';
import { wakePayouts } from '../records/lease-store.ts';
import { findOrders } from '../records/recovered-store.ts';
import type { PayoutDeps } from './deps.ts';

const comesBack: ReadonlySet<Payment['state']> = new Set(['coming_back', 'refunded']);

const hourMs = 60 * 60_000;
/** Faster Payments returns money for up to 90 days. What comes back later shows in the balance, which is reconciled. */
const lookBackMs = 100 * 24 * hourMs;
/** The bank's clock and ours need not agree. */
const overlapMs = hourMs;
/** Ten million payments: more than the bank changes in ten days of a partner's million a day. */
const mostPages = 100_000;
const environmentsAtOnce = 4;

export type LateReturnDeps = PayoutDeps & { pool: Pool };

/**
 * A payout that has arrived is not looked at any more, yet it can be returned for weeks. Where the webhook of that is lost,
 * the bank's own list still shows it: what changed there since the last search and has come back is looked at once more. Says
 * how many those are.
 */
export async function findLateReturns(deps: LateReturnDeps, signal?: AbortSignal): Promise<number> {
  let found = 0;
  await inParallel(listEnvironmentsAtBanks(deps.calls), environmentsAtOnce, async (environmentAtBank) => {
    signal?.throwIfAborted();
    found += await searchList(deps, environmentAtBank, signal);
  });
  return found;
}

async function searchList(
  deps: LateReturnDeps,
  environmentAtBank: EnvironmentAtBank,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { pool, banks, clock, logger } = deps;
  const { environment, partnerId, customerId } = environmentAtBank;
  const bank = banks[environmentAtBank.rail];
  if (bank?.listPayments === undefined) return 0;
  const startedAt = clock.now();
  const oldest = new Date(startedAt.getTime() - lookBackMs);
  const searched = await inReadOnlyTransaction(pool, environmentAtBank, findSearchedUntil);
  const changedSince = new Date(Math.max(oldest.getTime(), (searched ?? oldest).getTime() - overlapMs));
  let [found, after]: [number, string | null] = [0, null];
  for (let pages = 0; pages < mostPages; pages += 1) {
    signal?.throwIfAborted();
    const page = await bank.listPayments(customerId, after, changedSince);
    if (page === null) break;
    found += await wakeReturned(deps, environmentAtBank, page.payments);
    // A bank that shows what did not change, too, is read for a hundred days and no further.
    const isOld = page.payments.every(({ createdAt }) => createdAt !== null && createdAt < oldest);
    after = page.next;
    if (after !== null && !isOld) continue;
    await inTransaction(pool, environmentAtBank, async (tx) => recordSearch(tx, environmentAtBank, startedAt));
    return found;
  }
  // The next search begins where this one did.
  logger.warn({ partner_id: partnerId, environment }, 'late_returns.not_listed');
  return found;
}

/** Says how many there were. Those that are returned here as well are left alone. */
async function wakeReturned(
  { calls, clock }: LateReturnDeps,
  partnerEnvironment: EnvironmentAtBank,
  payments: readonly PaymentRecord[],
): Promise<number> {
  const { environment } = partnerEnvironment;
  const at = clock.now();
  const news = payments.flatMap(({ id: paymentId, state, ourReference: orderId }) =>
    comesBack.has(state) && orderId !== null && isOrderId(orderId) ? [{ environment, orderId, paymentId, at }] : [],
  );
  if (news.length === 0) return 0;
  const orderIds = news.map(({ orderId }) => orderId);
  const orders = await findOrders(calls, partnerEnvironment, orderIds);
  const late = news.filter(({ orderId }) => orders.get(orderId)?.state !== 'returned');
  return (await wakePayouts(calls, late)).filter((isKnown) => isKnown).length;
}
