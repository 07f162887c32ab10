import type { Pence } from '../money/amounts.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import { monthBefore, monthEnd, monthOf, monthStart } from '../platform/london-month.ts';
import { draftInvoice, type InvoiceLine } from './invoices/invoice.ts';
import { gather, listInvoices } from './invoices/store.ts';
import { readUsage, type Usage } from './store.ts';

/** A partner's calendar month in London so far, and what would be on its invoice if it ended now. */
export interface MonthSoFar extends Usage {
  lines: Pick<InvoiceLine, 'kind' | 'amount'>[];
  total: Pence;
  /** What is left of credits after it. */
  carriedOut: Pence;
}

const monthsBack = 24;

async function invoiceSoFar(
  calls: SingleCalls,
  partnerId: string,
  at: Date,
): Promise<Pick<MonthSoFar, 'lines' | 'total' | 'carriedOut'>> {
  const month = monthOf(at);
  const [newest] = await listInvoices(calls, partnerId, { fromPeriod: monthBefore(month, monthsBack), atMost: 1 });
  const gathered = await gather(calls, partnerId, { from: monthStart(month), before: monthEnd(month) });
  return draftInvoice(month, gathered, newest?.carriedOut ?? 0n);
}

/** Sandbox is never charged: its invoice stays empty. */
export async function readMonthSoFar(calls: SingleCalls, of: PartnerContext, at: Date): Promise<MonthSoFar> {
  const usage = await readUsage(calls, of, at);
  const { lines, total, carriedOut } =
    of.environment === 'live' ? await invoiceSoFar(calls, of.partnerId, at) : { lines: [], total: 0n, carriedOut: 0n };
  return { ...usage, lines, total, carriedOut };
}
