import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import type { JobSender, Queue } from '../../platform/jobs/jobs.ts';
import { makeDue } from './store.ts';

/** It comes round every minute for those that are due, and at once where the bank tells of news. */
export const refreshVerifications: Queue = { name: 'refresh-verifications', retryLimit: 3, schedule: '* * * * *' };

interface WakeDeps {
  calls: SingleCalls;
  pool: Pool;
  clock: Clock;
  jobs: Pick<JobSender, 'enqueue'>;
}

/**
 * A webhook only wakes it: it makes its verification due, and a worker asks the bank what is true. So a hundred of the same do what
 * one does. What we know nothing of is forgotten: a verification that we are just starting is looked at anyway.
 *
 * The job is a commit of its own. Where it is lost, the round that comes every minute finds what is due.
 */
export async function wakeVerification(deps: WakeDeps, verificationId: string): Promise<void> {
  const { calls, pool, clock, jobs } = deps;
  if (!(await makeDue(calls, verificationId, clock.now()))) return;
  await inTransaction(pool, 'shared', async (tx) => jobs.enqueue(tx, refreshVerifications, {}));
}
