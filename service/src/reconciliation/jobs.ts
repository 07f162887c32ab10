// What a worker does for reconciliation: compares our books with the bank's, every day.
import type { JobHandler, Queue } from '../platform/jobs/jobs.ts';
import type { ReconciliationDeps } from './deps.ts';
import { runReconciliation } from './run-reconciliation.ts';

/** Before the day's work begins in London, in summer and in winter. A million payouts are ten thousand pages. */
const reconcile: Queue = { name: 'reconcile', retryLimit: 10, schedule: '10 5 * * *', expireSeconds: 6 * 60 * 60 };

export const reconciliationQueues: readonly Queue[] = [reconcile];

export function reconciliationHandlers(deps: ReconciliationDeps): [Queue, JobHandler][] {
  return [
    [
      reconcile,
      async ({ signal }) => {
        const { state, differences } = await runReconciliation(deps, {
          askedBy: 'schedule',
          isResumed: true,
          signal,
        });
        deps.logger.info({ status: state, differences }, 'reconciliation.done');
        // The bank may answer later: the job is tried again.
        if (state === 'incomplete') throw new Error('some partners could not be compared with their bank');
      },
    ],
  ];
}
