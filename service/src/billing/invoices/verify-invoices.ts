import type { DifferenceRow, IdSpan } from '../../ledger/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { instantOf } from '../../platform/ids.ts';
import { monthOf } from '../../platform/london-month.ts';
import { countInvoices, listDifferences, type MonthRange } from './store.ts';

/** Enough to see what kind of trouble it is. */
const mostDifferences = 100;

/** Four digits of a year sort as text; the last id of all is of a later one. */
const lastMonth = '9998-12';

function monthsOf({ first, before }: IdSpan): MonthRange {
  const last = monthOf(new Date(instantOf(before).getTime() - 1));
  return {
    first: monthOf(instantOf(first)),
    last: last.length > lastMonth.length || last > lastMonth ? lastMonth : last,
  };
}

/** Holds invoices of the months of a span against the ledger, as the reading role. What differs is named; nothing is changed. */
export async function verifyInvoices(
  tx: Transaction,
  span: IdSpan,
): Promise<{ invoices: number; differences: DifferenceRow[] }> {
  return { invoices: await countInvoices(tx), differences: await listDifferences(tx, monthsOf(span), mostDifferences) };
}
