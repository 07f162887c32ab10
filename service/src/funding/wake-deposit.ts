import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import { inTransaction, type PartnerContext } from '../platform/database/transaction.ts';
import { isJobWaiting, type JobSender, type Queue } from '../platform/jobs/jobs.ts';
import { makeSourceDue } from './source-store.ts';

/** It comes round every minute for what is due, and at once where the bank tells of news. */
export const readDeposits: Queue = { name: 'read-deposits', retryLimit: 3, schedule: '* * * * *' };

interface WakeDeps {
  calls: SingleCalls;
  pool: Pool;
  clock: Clock;
  jobs: Pick<JobSender, 'enqueue'>;
}

interface WebhookNews {
  environment: PartnerContext['environment'];
  sourceId: string;
  depositId: string;
}

/**
 * A webhook only wakes it: it makes its source due, and a worker reads from the bank what came. So a hundred of the same do what
 * one does, in whatever order they come. What we know nothing of is forgotten: a source that is just being opened is read
 * anyway.
 *
 * The job is a commit of its own. Where it is lost, the round that comes every minute finds what is due.
 */
export async function wakeDeposit({ calls, pool, clock, jobs }: WakeDeps, news: WebhookNews): Promise<void> {
  if (!(await makeSourceDue(calls, { ...news, at: clock.now() }))) return;
  await inTransaction(pool, 'shared', async (tx) => {
    if (!(await isJobWaiting(tx, readDeposits))) await jobs.enqueue(tx, readDeposits, {});
  });
}
