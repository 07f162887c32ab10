import { inTransaction } from '../platform/database/transaction.ts';
import { ApiError } from '../platform/api-error.ts';
import { mergeDepositEvents, type DepositNews } from './merge-deposit-events.ts';
import { listLines, settledUpto } from './list-lines.ts';
import { afterFailure, nextReadAt } from './next-read.ts';
import type { FundingDeps } from './deps.ts';
import { finishReading, getSource, readAgainAt, type DueSource, type ReadableSource } from './source-store.ts';
import { applyDeposit } from './apply-deposit.ts';

export type ReadOutcome =
  | { kind: 'read'; changes: number }
  /** There is no bank behind its rail here. */
  | { kind: 'no_bank' }
  | { kind: 'failed'; text: string };

/**
 * Reads what came in at a source and takes every deposit that there is news of. How far it was read is written last: a crash
 * before that reads the same once more, and finds it taken. It never gets past one that could not be taken.
 */
export async function readSource(deps: FundingDeps, due: DueSource): Promise<ReadOutcome> {
  const source = await inTransaction(deps.pool, due, async (tx) => getSource(tx, due));
  const outcome = await readAll(deps, source);
  if (outcome.kind === 'read') return outcome;
  const at = deps.clock.now();
  await inTransaction(deps.pool, due, async (tx) => readAgainAt(tx, due.id, afterFailure(at)));
  return outcome;
}

async function readAll(deps: FundingDeps, source: ReadableSource): Promise<ReadOutcome> {
  const bank = source.rail === 'simulated' ? null : deps.banks[source.rail];
  if (bank === null) return { kind: 'no_bank' };
  const listing = await listLines(bank, source);
  if (listing === null) return { kind: 'failed', text: 'the list of deposits could not be read' };
  const { changes, failed } = await takeAll(deps, source, mergeDepositEvents(listing.lines.toReversed()));
  const readUpto = settledUpto(listing, failed);
  const isDone = listing.isWhole && failed.size === 0;
  const { id, wakes } = source;
  await inTransaction(deps.pool, source, async (tx) => {
    const at = deps.clock.now();
    const { changedAt, hasPending } = await getSource(tx, source);
    const hadNews = changes > 0;
    const nextDueAt = nextReadAt({ changedAt: hadNews ? at : changedAt, hasPending }, at);
    await finishReading(tx, { id, readUpto, isDone, wakes, hadNews, at, nextDueAt });
  });
  if (failed.size > 0) return { kind: 'failed', text: `${failed.size} deposits could not be taken` };
  if (!listing.isWhole) return { kind: 'failed', text: 'the list of deposits is too long' };
  return { kind: 'read', changes };
}

interface Taken {
  changes: number;
  /** The bank's ids of those that could not be taken. */
  failed: Set<string>;
}

/** Each by itself: one that can't be taken, for whatever reason, holds up no other. It is tried again in a minute. */
async function takeAll(deps: FundingDeps, source: ReadableSource, all: readonly DepositNews[]): Promise<Taken> {
  const failed = new Set<string>();
  let changes = 0;
  for (const news of all) {
    try {
      changes += (await applyDeposit(deps, source, news)).length;
    } catch (error) {
      // Without a connection there is none for the next one either.
      if (error instanceof ApiError) throw error;
      failed.add(news.depositId);
      deps.logger.error(
        { partner_id: source.partnerId, environment: source.environment, method: source.method, error },
        'deposit.not_taken',
      );
    }
  }
  return { changes, failed };
}
