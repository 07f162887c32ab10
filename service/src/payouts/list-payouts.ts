import type { SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import { firstIdAt, lastId } from '../platform/ids.ts';
import { orderIdOf } from './order.ts';
import type { ShownPayout } from './payout.ts';
import { listShownPayouts, searchShownPayouts } from './store.ts';

/** What a partner looks for among its payouts. What is left out fits all. */
export interface PayoutFilters {
  states?: ShownPayout['state'][];
  /** Both exclusive. */
  createdAfter?: Date;
  createdBefore?: Date;
  reference?: string;
  idempotencyKey?: string;
  accountLast4?: string;
  createdVia?: ShownPayout['createdVia'];
}

export interface PayoutPage {
  payouts: ShownPayout[];
  /** Where the next page begins; null after the last. */
  cursor: string | null;
}

/** One request looks at no more than this: what fits seldom is found over several pages. */
const mostLookedAt = 20_000;

/** A page of the partner's payouts, the newest first. */
export async function listPayouts(
  calls: SingleCalls,
  of: PartnerContext,
  { filters, cursor, limit }: { filters: PayoutFilters; cursor: string | null; limit: number },
): Promise<PayoutPage> {
  const beforeId = cursor ?? lastId;
  // One more than is asked for: it tells whether there is a next page.
  const wanted = limit + 1;
  if (Object.values(filters).every((filter) => filter === undefined))
    return pageOf(await listShownPayouts(calls, of, { beforeId, limit: wanted }), limit, null);
  const search = searchFor(of, filters, beforeId);
  const { payouts, endedAt } = await searchShownPayouts(calls, of, search, { limit: wanted, lookAt: mostLookedAt });
  return pageOf(payouts, limit, endedAt);
}

function searchFor(of: PartnerContext, filters: PayoutFilters, beforeId: string) {
  const { createdAfter, createdBefore, idempotencyKey } = filters;
  const createdBeforeId = createdBefore === undefined ? lastId : firstIdAt(createdBefore);
  return {
    fromId: firstIdAt(new Date(createdAfter === undefined ? 0 : createdAfter.getTime() + 1)),
    beforeId: createdBeforeId < beforeId ? createdBeforeId : beforeId,
    states: filters.states ?? null,
    reference: filters.reference ?? null,
    orderId: idempotencyKey === undefined ? null : orderIdOf(of, idempotencyKey),
    accountLast4: filters.accountLast4 ?? null,
    createdVia: filters.createdVia ?? null,
  };
}

function pageOf(found: readonly ShownPayout[], limit: number, endedAt: string | null): PayoutPage {
  const payouts = found.slice(0, limit);
  const isMore = found.length > limit;
  return { payouts, cursor: isMore ? (payouts.at(-1)?.id ?? null) : endedAt };
}
