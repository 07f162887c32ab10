import type { Archive } from '../../archive/index.ts';
import { wasUndone, type SingleCalls } from '../../platform/database/single-call.ts';
import { tooBusy } from '../../platform/database/too-busy.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { createMicroBatch } from '../../platform/micro-batch.ts';
import { ApiError } from '../../platform/api-error.ts';
import { isVisible, type ShownPayout, type VisiblePayout } from '../model/payout.ts';
import type { Asked, KnownPayouts } from '../records/known-payouts.ts';
import { findHereOrArchived } from '../records/archived-payouts.ts';
import { findAnyPayout, findShownPayouts, readArchivedPayout } from '../records/payout-store.ts';

/** Another's payout is as little there as one that never was. */
export function payoutNotFound(): ApiError {
  return new ApiError({ code: 'not_found', message: 'No payout has this id.' });
}

interface ReadDeps {
  calls: SingleCalls;
  archive: Archive;
}

/** A payout of the caller's, with all that working on it takes. */
export async function readPayout(deps: ReadDeps, of: PartnerContext, payoutId: string): Promise<VisiblePayout> {
  const payout = await findAnyPayout(deps, of, payoutId);
  if (payout === null || !isVisible(payout)) throw payoutNotFound();
  return payout;
}

export interface PayoutReader {
  /** A payout of the caller's, as it is shown. */
  show(asked: Asked): Promise<ShownPayout>;
}

const mostAtOnce = 64;

/** Those who ask at the same time are answered by one call: waking the database costs more than looking up a row. */
export function createPayoutReader(
  { calls, archive }: ReadDeps,
  known: KnownPayouts,
  limits: { mostWaiting?: number } = {},
): PayoutReader {
  const findTogether = createMicroBatch<Asked, ShownPayout | null>({
    name: 'retrieve_changed_payouts',
    size: mostAtOnce,
    keyOf: null,
    eager: true,
    together: async (asked) => findShownPayouts(calls, known, asked),
    didNothing: wasUndone,
    tooMany: tooBusy,
    ...limits,
  });
  return {
    async show(asked) {
      const { payoutId: id, partnerId, environment } = asked;
      const payout = await findHereOrArchived<ShownPayout | 'hidden'>(
        archive,
        { id, partnerId, environment },
        {
          findHere: async () => findTogether(asked),
          async read(line) {
            const archived = await readArchivedPayout(calls, line);
            return isVisible(archived) ? archived : 'hidden';
          },
        },
      );
      if (payout === null || payout === 'hidden') throw payoutNotFound();
      return payout;
    },
  };
}
