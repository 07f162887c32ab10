import { setTimeout as wait } from 'node:timers/promises';
import type { Archive } from '../../archive/index.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Payout } from '../model/payout.ts';
import { findAnyPayout } from '../records/payout-store.ts';

/** A caller waits this long for what another is doing with the same key: less than a request may take in all. */
const patienceMs = 9_000;
const longestPauseMs = 200;

export function inUse(): ApiError {
  return new ApiError({
    code: 'idempotency_key_in_use',
    message: 'Another request with this Idempotency-Key is still being processed. Retry in a second.',
    retryAfterSeconds: 1,
  });
}

/** The payout, once the bank has been asked. Null where there is none. */
export async function waitForPayout(
  deps: { calls: SingleCalls; archive: Archive },
  { id, ...of }: PartnerContext & { id: string },
  startedAt: number,
): Promise<Payout | null> {
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const payout = await findAnyPayout(deps, of, id);
    if (payout?.state !== 'sending') return payout;
    if (performance.now() - startedAt > patienceMs) throw inUse();
    await wait(pauseMs);
  }
}
