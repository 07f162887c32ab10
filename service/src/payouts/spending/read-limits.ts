import type { Pence } from '../../money/amounts.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import { dayOf, endOfDay } from '../../platform/london-day.ts';
import { listKeySpending, readSpendingLimits, readSpent, type KeySpending, type SpendingLimits } from './store.ts';

/** The limits of a partner's environment, and what was spent of them today in London. */
export interface LimitsToday extends SpendingLimits {
  spent: Pence;
  resetsAt: Date;
  keys: KeySpending[];
}

export async function readLimits(tx: Transaction, of: PartnerContext, at: Date): Promise<LimitsToday> {
  const day = dayOf(at);
  return {
    ...(await readSpendingLimits(tx, of)),
    spent: await readSpent(tx, of, day),
    resetsAt: endOfDay(at),
    keys: await listKeySpending(tx, of, { day, at }),
  };
}

/** What can still be spent: nothing where a limit was lowered below it. Null where there is no limit. */
export function leftOf(limit: Pence | null, spent: Pence): Pence | null {
  if (limit === null) return null;
  return limit > spent ? limit - spent : 0n;
}
