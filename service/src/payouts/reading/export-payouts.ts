import type { Archive } from '../../archive/index.ts';
import { formatPounds, formatUsdc } from '../../money/amounts.ts';
import { csvLine, csvNumber } from '../../platform/csv.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { instantOf } from '../../platform/ids.ts';
import type { ShownPayout } from '../model/payout.ts';
import { listPayouts, type PayoutFilters } from './list-payouts.ts';

const columns = [
  'id',
  'created_at',
  'status',
  'recipient',
  'account_last4',
  'amount_gbp',
  'fee_gbp',
  'wallet_sent_usdc',
  'reference',
  'bank_reference',
  'failure_code',
  'created_via',
  'updated_at',
];

const pageSize = 500;
export const payoutHeader = csvLine(columns);

export function payoutLine(payout: ShownPayout): string {
  return csvLine([
    payout.id,
    instantOf(payout.id).toISOString(),
    payout.state,
    payout.recipientName ?? '',
    payout.accountLast4 ?? '',
    csvNumber(formatPounds(payout.amount)),
    csvNumber(formatPounds(payout.fee)),
    csvNumber(formatUsdc(payout.walletDebit)),
    payout.reference ?? '',
    payout.bankReference,
    payout.failureCode ?? '',
    payout.createdVia,
    payout.updatedAt.toISOString(),
  ]);
}

/** All matching payouts as CSV, the newest first, a page at a time. */
export async function* exportPayouts(
  deps: { calls: SingleCalls; archive: Archive },
  of: PartnerContext,
  filters: PayoutFilters,
): AsyncGenerator<string> {
  let lines = payoutHeader;
  let cursor: string | null = null;
  do {
    const page = await listPayouts({ ...deps, known: null }, of, { filters, cursor, limit: pageSize });
    yield lines + page.payouts.map(payoutLine).join('');
    lines = '';
    ({ cursor } = page);
  } while (cursor !== null);
}
