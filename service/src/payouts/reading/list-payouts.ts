import type { Archive } from '../../archive/index.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { firstIdAt, instantOf, lastId } from '../../platform/ids.ts';
import { listWithArchive } from './list-with-archive.ts';
import { inUse } from './wait-for-payout.ts';
import { orderIdOf } from '../model/order.ts';
import type { ShownPayout } from '../model/payout.ts';
import type { KnownPayouts } from '../records/known-payouts.ts';
import { findAnyPayout, findClaim, listShownPayouts, searchShownPayouts } from '../records/payout-store.ts';

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
const maxScanned = 20_000;

interface ListDeps {
  calls: SingleCalls;
  archive: Archive;
  /** Null for who reads more than is worth remembering. */
  known: KnownPayouts | null;
}

/** A page of the partner's payouts, the newest first. */
export async function listPayouts(
  { calls, archive, known }: ListDeps,
  of: PartnerContext,
  { filters, cursor, limit }: { filters: PayoutFilters; cursor: string | null; limit: number },
): Promise<PayoutPage> {
  const beforeId = cursor ?? lastId;
  // One more than is asked for: it tells whether there is a next page.
  const wanted = limit + 1;
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
  const search = isFiltered
    ? await narrowByKey({ calls, archive }, of, searchFor(of, filters, beforeId))
    : searchFor(of, filters, beforeId);
  const found = isFiltered
    ? await searchShownPayouts(calls, of, search, { limit: wanted, maxScanned })
    : { payouts: await listShownPayouts(calls, of, { beforeId, limit: wanted, known }), endedAt: null };
  // As a rule the page is full of payouts that are too young for the archive.
  const reached =
    found.endedAt ?? (found.payouts.length < wanted ? search.fromId : (found.payouts.at(-1)?.id ?? beforeId));
  if (!archive.mayHold(reached)) return pageOf(found.payouts, limit, found.endedAt);
  const merged = await listWithArchive({ calls, archive }, of, { search, wanted, maxScanned });
  return pageOf((merged ?? found).payouts, limit, (merged ?? found).endedAt);
}

/**
 * A key leads to its payout at once, however many are newer. While the bank is asked for the first time, nobody can say yet
 * whether there is one: "none" would be taken for leave to send it again under another key.
 */
async function narrowByKey<Search extends ReturnType<typeof searchFor>>(
  deps: Pick<ListDeps, 'calls' | 'archive'>,
  of: PartnerContext,
  search: Search,
): Promise<Search> {
  const claim = search.orderId === null ? null : await findClaim(deps.calls, of, search.orderId);
  if (claim === null) return search;
  const payout = await findAnyPayout(deps, of, claim.payoutId);
  if (payout?.state === 'sending') throw inUse();
  const madeAt = instantOf(claim.payoutId);
  const firstId = firstIdAt(madeAt);
  const afterId = firstIdAt(new Date(madeAt.getTime() + 1));
  return {
    ...search,
    fromId: firstId > search.fromId ? firstId : search.fromId,
    beforeId: afterId < search.beforeId ? afterId : search.beforeId,
  };
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
