// What a worker does for payouts on a schedule. Those that are not final are looked after by lifecycle/sweep.ts.
import type { JobHandler, Queue } from '../platform/jobs/jobs.ts';
import { eraseInRounds } from '../platform/retention/erase-in-rounds.ts';
import { recordRetention } from '../platform/retention/record-retention.ts';
import { eraseOldPayouts } from './records/erase-old-payouts.ts';
import { sweepRequests } from './records/payout-request-store.ts';
import { emailPayoutProblems, type ProblemDeps } from './problems/email-problems.ts';
import { findLateReturns, type LateReturnDeps } from './lifecycle/find-late-returns.ts';
import { forgetOldSpending, warnOfVolume, type VolumeDeps } from './spending/warn-of-volume.ts';

/** A million payouts of a day are ten thousand pages of the bank's list. */
const lateReturns: Queue = { name: 'late-returns', retryLimit: 5, schedule: '47 4 * * *', expireSeconds: 6 * 60 * 60 };

const payoutProblems: Queue = { name: 'payout-problems', retryLimit: 3, schedule: '* * * * *' };

const unusualVolume: Queue = { name: 'unusual-volume', retryLimit: 3, schedule: '*/5 * * * *' };

const oldSpending: Queue = { name: 'old-spending', retryLimit: 5, schedule: '27 3 * * *' };

const oldPayouts: Queue = { name: 'erase-old-payouts', retryLimit: 5, schedule: '57 3 * * *' };

const payoutRequests: Queue = { name: 'payout-requests', retryLimit: 3, schedule: '*/5 * * * *' };

export const payoutQueues: readonly Queue[] = [
  lateReturns,
  payoutProblems,
  unusualVolume,
  oldSpending,
  oldPayouts,
  payoutRequests,
];

/** Of each kind in a run; the next one is five minutes away. */
const requestsAtOnce = 1_000;

export function payoutHandlers(deps: LateReturnDeps & ProblemDeps & VolumeDeps): [Queue, JobHandler][] {
  return [
    [
      lateReturns,
      async ({ signal }) => {
        const found = await findLateReturns(deps, signal);
        deps.logger.info({ payouts: found }, 'late_returns.searched');
      },
    ],
    [
      payoutProblems,
      async ({ signal }) => {
        const removed = await emailPayoutProblems(deps, signal);
        // It runs every minute.
        if (removed > 0) await recordRetention(deps.calls, payoutProblems, { removed, at: deps.clock.now() });
      },
    ],
    [unusualVolume, async ({ signal }) => warnOfVolume(deps, signal)],
    [
      oldSpending,
      async () => {
        const rows = await forgetOldSpending(deps);
        await recordRetention(deps.calls, oldSpending, { removed: rows, at: deps.clock.now() });
        deps.logger.info({ rows }, 'spending.swept');
      },
    ],
    [
      payoutRequests,
      async () => {
        const at = deps.clock.now();
        const { expired, deleted } = await sweepRequests(deps.calls, at, requestsAtOnce);
        if (deleted > 0) await recordRetention(deps.calls, payoutRequests, { removed: deleted, at });
        if (expired > 0) deps.logger.info({ requests: expired }, 'payout_requests.expired');
      },
    ],
    [oldPayouts, async ({ signal }) => eraseInRounds(eraseOldPayouts, deps, signal)],
  ];
}
