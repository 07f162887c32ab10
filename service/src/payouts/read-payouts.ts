import type { SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import { Refusal } from '../platform/refusal.ts';
import { isVisible, type VisiblePayout } from './payout.ts';
import { findPayout, listPayouts } from './store.ts';

/** A payout of the caller's. Another's is as little there as one that never was. */
export async function readPayout(calls: SingleCalls, of: PartnerContext, payoutId: string): Promise<VisiblePayout> {
  const payout = await findPayout(calls, of, payoutId);
  if (payout === null || !isVisible(payout)) {
    throw new Refusal({ code: 'not_found', message: 'There is no payout with this id.' });
  }
  return payout;
}

/** The newest first. */
export async function readPayouts(calls: SingleCalls, of: PartnerContext, limit: number): Promise<VisiblePayout[]> {
  return (await listPayouts(calls, of, limit)).filter(isVisible);
}
