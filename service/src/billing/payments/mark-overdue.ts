import type { Clock } from '../../platform/clock.ts';
import type { Failpoint } from '../../platform/failpoint.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import type { JobSender } from '../../platform/jobs/jobs.ts';
import { enqueueStatusEmail } from './status-emails.ts';
import { markOverdue } from './store.ts';

export interface OverdueDeps {
  pool: Pool;
  clock: Clock;
  jobs: Pick<JobSender, 'enqueue'>;
  failpoint: Failpoint;
}

const pageSize = 100;
/** More than there can be in one day. What is left is marked by the next run. */
const mostPages = 10_000;

/**
 * Marks every invoice that is overdue since today, some in each transaction, with the jobs that email their partners: a run
 * that dies leaves an invoice marked and its job made, or neither. Says how many were marked.
 */
export async function markOverdueInvoices(deps: OverdueDeps, signal: AbortSignal): Promise<number> {
  const { pool, clock, jobs, failpoint } = deps;
  let marked = 0;
  for (let page = 0; page < mostPages && !signal.aborted; page += 1) {
    const found = await inTransaction(pool, 'shared', async (tx) => {
      const overdue = await markOverdue(tx, { at: clock.now(), atMost: pageSize });
      for (const invoice of overdue) await enqueueStatusEmail(tx, jobs, { ...invoice, status: 'overdue' });
      await failpoint('overdue.marked');
      return overdue.length;
    });
    await failpoint('overdue.committed');
    marked += found;
    if (found < pageSize) break;
  }
  return marked;
}
