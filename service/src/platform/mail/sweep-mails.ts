import type { Clock } from '../clock.ts';
import type { Pool } from '../database/pool.ts';
import { inTransaction, type Transaction } from '../database/transaction.ts';
import type { Logger } from '../logging.ts';
import { deleteEndedMails, giveUpMails } from './store.ts';

const dayMs = 24 * 60 * 60 * 1_000;
/** A day longer than its job tries: whatever waits then has nobody who would still send it. */
const givenUpAfterMs = 2 * dayMs;
const keptForMs = 30 * dayMs;

const mostAtOnce = 2_000;
const mostRounds = 200;

async function untilNoneIsLeft(pool: Pool, some: (tx: Transaction) => Promise<number>): Promise<number> {
  let total = 0;
  for (let rounds = 0; rounds < mostRounds; rounds += 1) {
    const done = await inTransaction(pool, 'shared', some);
    total += done;
    if (done < mostAtOnce) break;
  }
  return total;
}

/** Erases what could not be sent for two days, which is an alarm, and deletes what ended 30 days ago. Returns how many of both. */
export async function sweepOutgoingMails({
  pool,
  clock,
  logger,
}: {
  pool: Pool;
  clock: Clock;
  logger: Logger;
}): Promise<number> {
  const now = clock.now();
  const before = (ms: number): Date => new Date(now.getTime() - ms);
  const givenUp = await untilNoneIsLeft(pool, async (tx) =>
    giveUpMails(tx, { postedBefore: before(givenUpAfterMs), at: now, most: mostAtOnce }),
  );
  if (givenUp > 0) logger.error({ mails: givenUp }, 'mails.given_up');
  const deleted = await untilNoneIsLeft(pool, async (tx) =>
    deleteEndedMails(tx, { endedBefore: before(keptForMs), most: mostAtOnce }),
  );
  logger.info({ mails: deleted }, 'mails.swept');
  return givenUp + deleted;
}
