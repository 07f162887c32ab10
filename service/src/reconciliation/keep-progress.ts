import { inTransaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import type { Comparing } from './deps.ts';
import { saveProgress, takeProgress } from './progress/store.ts';
import { atTheBeginning, type ProgressKeeper } from './progress/transfer-progress.ts';

/** Another attempt at the same run goes on with this partner: two would ask the bank for the same pages. */
export class TakenOver extends Error {
  override readonly name = 'TakenOver';
}

type Keeping = Pick<Comparing, 'pool' | 'clock' | 'partnerEnvironment' | 'run'>;

export async function takeOverProgress({ pool, clock, partnerEnvironment, run }: Keeping): Promise<ProgressKeeper> {
  const attemptId = newId(clock);
  const attempt = { runId: run.id, attemptId, at: clock.now() };
  const begin = await inTransaction(pool, partnerEnvironment, async (tx) =>
    takeProgress(tx, partnerEnvironment, attempt, atTheBeginning),
  );
  return {
    begin,
    async save(state) {
      const isOurs = await inTransaction(pool, partnerEnvironment, async (tx) =>
        saveProgress(tx, partnerEnvironment, { attemptId, at: clock.now() }, state),
      );
      if (!isOurs) throw new TakenOver('a later attempt compares this partner');
    },
  };
}
