import type { SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import { Refusal } from '../platform/refusal.ts';
import { isVisible, type ShownPayout, type VisiblePayout } from './payout.ts';
import { findPayout, findShownPayout } from './store.ts';

/** Another's payout is as little there as one that never was. */
function notFound(): Refusal {
  return new Refusal({ code: 'not_found', message: 'There is no payout with this id.' });
}

/** A payout of the caller's, with all that working on it takes. */
export async function readPayout(calls: SingleCalls, of: PartnerContext, payoutId: string): Promise<VisiblePayout> {
  const payout = await findPayout(calls, of, payoutId);
  if (payout === null || !isVisible(payout)) throw notFound();
  return payout;
}

/** A payout of the caller's, as it is shown. */
export async function showPayout(calls: SingleCalls, of: PartnerContext, payoutId: string): Promise<ShownPayout> {
  const payout = await findShownPayout(calls, of, payoutId);
  if (payout === null) throw notFound();
  return payout;
}
