// What a worker does for payouts on a schedule. Those that are not final are looked after by lifecycle/sweep.ts.
import type { JobHandler, Queue } from '../platform/jobs/jobs.ts';
import type { PayoutDeps } from './lifecycle/deps.ts';
import { findLateReturns } from './lifecycle/find-late-returns.ts';

const lateReturns: Queue = { name: 'late-returns', retryLimit: 5, schedule: '47 4 * * *' };

export const payoutQueues: readonly Queue[] = [lateReturns];

export function payoutHandlers(deps: PayoutDeps): [Queue, JobHandler][] {
  return [
    [
      lateReturns,
      async () => {
        const found = await findLateReturns(deps);
        deps.logger.info({ payouts: found }, 'late_returns.searched');
      },
    ],
  ];
}
