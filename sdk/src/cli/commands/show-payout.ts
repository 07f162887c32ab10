import type { Kelpie, Payout } from '../../index.ts';
import { waitForPayout } from '../../wait-for-payout.ts';
import { exitCodes } from '../command-error.ts';
import type { WaitOptions } from '../option-values.ts';
import { fields, pounds, print, shortInstant } from '../printing.ts';

function describePayout(payout: Payout): string {
  const { recipient, failure_code: code, failure_reason: reason } = payout;
  const last4 = recipient.account_last4 === null ? '' : ` (account …${recipient.account_last4})`;
  return fields([
    ['payout', payout.id],
    ['environment', payout.environment],
    ['status', payout.status],
    ['failure', code === null ? null : `${code}: ${reason ?? ''}`],
    ['amount', pounds(payout.amount_gbp)],
    ['fee', pounds(payout.fee_gbp)],
    ['wallet paid', `${payout.wallet_sent_usdc} USDC`],
    ['recipient', `${recipient.name ?? '-'}${last4}`],
    ['reference', payout.reference],
    ['bank reference', payout.bank_reference],
    ['idempotency key', payout.idempotency_key],
    ['created', shortInstant(payout.created_at)],
    ['updated', shortInstant(payout.updated_at)],
    ['note', payout.duplicate_suspected ? 'Same account and amount as another payout of the last 24 hours.' : null],
  ]);
}

export function printPayout(json: boolean, payout: Payout): void {
  print(json, payout, describePayout(payout));
}

/** With --wait, once it is final. A payout that was not paid is a result, and exit code 1. */
export async function showPayout(
  { payouts }: Kelpie,
  payout: Payout,
  { json, wait, timeout }: WaitOptions & { json: boolean },
): Promise<void> {
  const get: Kelpie['payouts']['get'] = async (id, options) => payouts.get(id, options);
  const endsAtMs = performance.now() + timeout * 1_000;
  const shown = wait ? await waitForPayout(payout, { until: 'completed', endsAtMs, options: {}, get }) : payout;
  printPayout(json, shown);
  if (['failed', 'cancelled', 'returned'].includes(shown.status)) process.exitCode = exitCodes.found;
}
