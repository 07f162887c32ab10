// What a worker does for payouts on a schedule. Those that are not final are looked after by lifecycle/sweep.ts.
import type { JobHandler, Queue } from '../platform/jobs/jobs.ts';
import { emailPayoutProblems, type ProblemDeps } from './problems/email-problems.ts';
import { findLateReturns, type LateReturnDeps } from './lifecycle/find-late-returns.ts';
import { forgetOldSpending, warnOfVolume, type VolumeDeps } from './spending/warn-of-volume.ts';

/** A million payouts of a day are ten thousand pages of the bank's list. */
const lateReturns: Queue = { name: 'late-returns', retryLimit: 5, schedule: '47 4 * * *', expireSeconds: 6 * 60 * 60 };

const payoutProblems: Queue = { name: 'payout-problems', retryLimit: 3, schedule: '* * * * *' };

const unusualVolume: Queue = { name: 'unusual-volume', retryLimit: 3, schedule: '*/5 * * * *' };

const oldSpending: Queue = { name: 'old-spending', retryLimit: 5, schedule: '27 3 * * *' };

export const payoutQueues: readonly Queue[] = [lateReturns, payoutProblems, unusualVolume, oldSpending];

export function payoutHandlers(deps: LateReturnDeps & ProblemDeps & VolumeDeps): [Queue, JobHandler][] {
  return [
    [
      lateReturns,
      async ({ signal }) => {
        const found = await findLateReturns(deps, signal);
        deps.logger.info({ payouts: found }, 'late_returns.searched');
      },
    ],
    [payoutProblems, async ({ signal }) => emailPayoutProblems(deps, signal)],
    [unusualVolume, async ({ signal }) => warnOfVolume(deps, signal)],
    [
      oldSpending,
      async () => {
        const rows = await forgetOldSpending(deps);
        deps.logger.info({ rows }, 'spending.swept');
      },
    ],
  ];
}
