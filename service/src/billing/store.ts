import type { Pence } from '../money/amounts.ts';
import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';

/** A partner's calendar month in London so far. */
export interface Usage {
  /** A date, as 2026-11-01. */
  periodStart: string;
  /** Payouts that were made in it, and those that arrived in it. */
  created: number;
  completed: number;
  /** Of those that arrived. */
  paid: Pence;
  fees: Pence;
}

interface UsageRow {
  period_start: string;
  created: string;
  completed: string;
  paid_pence: string;
  fee_pence: string;
}

const readUsageCall: Call = {
  name: 'read_usage',
  text: 'select period_start::text, created, completed, paid_pence, fee_pence from kelpie.read_usage($1, $2, $3, $4)',
};

/** A payout that a person had to look at may arrive some time after it was made. One that takes longer than this is not counted. */
const oldestArrival = '35 days';

export async function readUsage(calls: SingleCalls, of: PartnerContext, at: Date): Promise<Usage> {
  const [row] = await calls.call<UsageRow>(readUsageCall, [of.partnerId, of.environment, at, oldestArrival]);
  if (row === undefined) throw new Error('the database returned no row');
  return {
    periodStart: row.period_start,
    created: Number(row.created),
    completed: Number(row.completed),
    paid: BigInt(row.paid_pence),
    fees: BigInt(row.fee_pence),
  };
}
