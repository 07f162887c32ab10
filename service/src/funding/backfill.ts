import type { FundingDeps } from './deps.ts';
import { startBackfill } from './source-store.ts';

/** As long as a bank transfer can be called back. */
const backfillWindowMs = 90 * 24 * 60 * 60_000;

/**
 * A deposit that was credited can be taken back for weeks. Where the webhook of that is lost, the bank's own list still shows
 * it: so it is read once more that far back. Says how many sources that makes due.
 */
export async function backfillDeposits({ calls, clock }: Pick<FundingDeps, 'calls' | 'clock'>): Promise<number> {
  const at = clock.now();
  return startBackfill(calls, new Date(at.getTime() - backfillWindowMs), at);
}
