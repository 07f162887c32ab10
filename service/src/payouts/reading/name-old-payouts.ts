import type { Archive } from '../../archive/index.ts';
import type { Pence } from '../../money/amounts.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { isVisible } from '../model/payout.ts';
import { findAnyPayout } from '../records/payout-store.ts';

/** What invoices and statements say of a payout. */
interface NamedPayout {
  id: string;
  reference: string | null;
  amount: Pence;
  isVisible: boolean;
}

/** Finds payouts of a partner that a list did not find beside its own rows; only those that are old enough to have left. */
export type NameOldPayouts = (of: PartnerContext, ids: readonly string[]) => Promise<ReadonlyMap<string, NamedPayout>>;

export function createNameOldPayouts(deps: { calls: SingleCalls; archive: Archive }): NameOldPayouts {
  return async (of, ids) => {
    const named = new Map<string, NamedPayout>();
    // One after the other: those of a page are in few blocks, which are read once.
    for (const id of new Set(ids)) {
      const payout = deps.archive.mayHold(id) ? await findAnyPayout(deps, of, id) : null;
      if (payout === null) continue;
      const { reference, amount } = payout;
      named.set(id, { id, reference, amount, isVisible: isVisible(payout) });
    }
    return named;
  };
}
