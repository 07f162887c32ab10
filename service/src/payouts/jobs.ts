// What a worker does for payouts on a schedule. Those that are not final are looked after by lifecycle/sweep.ts.
import type { JobHandler, Queue } from '../platform/jobs/jobs.ts';
import type { PayoutDeps } from './lifecycle/deps.ts';
import { emailPayoutProblems, type ProblemDeps } from './problems/email-problems.ts';
import { findLateReturns } from './lifecycle/find-late-returns.ts';

const lateReturns: Queue = { name: 'late-returns', retryLimit: 5, schedule: '47 4 * * *' };

const payoutProblems: Queue = { name: 'payout-problems', retryLimit: 3, schedule: '* * * * *' };

export const payoutQueues: readonly Queue[] = [lateReturns, payoutProblems];

export function payoutHandlers(deps: PayoutDeps & ProblemDeps): [Queue, JobHandler][] {
  return [
    [
      lateReturns,
      async () => {
        const found = await findLateReturns(deps);
        deps.logger.info({ payouts: found }, 'late_returns.searched');
      },
    ],
    [payoutProblems, async ({ signal }) => emailPayoutProblems(deps, signal)],
  ];
}
