// What the worker does for top-ups: opens where they are sent to, reads what came, and tells of wallets that run low; and each
// working day it holds our books against the bank's.
import { setTimeout } from 'node:timers/promises';
import { recordActivity } from '../activity/index.ts';
import {
  backfillDeposits,
  openWaitingFunding,
  readDeposits,
  readDueSources,
  watchWallets,
  type FundingDeps,
} from '../funding/index.ts';
import type { JobHandler, Queue } from '../platform/jobs/jobs.ts';
import { isWorkingDay } from '../platform/working-days.ts';
import { runReconciliation, type ReconciliationDeps } from '../reconciliation/index.ts';

/** For partners that could not be given an account and an address when they were connected. */
const openFunding: Queue = { name: 'open-funding', retryLimit: 3, schedule: '* * * * *' };
const lowWallets: Queue = { name: 'low-wallets', retryLimit: 3, schedule: '* * * * *' };
const depositBackfill: Queue = { name: 'backfill-deposits', retryLimit: 5, schedule: '27 4 * * *' };
/** Before the day's work begins in London, in summer and in winter. A week of many partners is some thousand pages. */
const reconcile: Queue = { name: 'reconcile', retryLimit: 10, schedule: '10 5 * * *', expireSeconds: 6 * 60 * 60 };

export const fundingQueues: readonly Queue[] = [readDeposits, openFunding, lowWallets, depositBackfill, reconcile];

async function reconcileToday(deps: ReconciliationDeps, signal: AbortSignal): Promise<void> {
  if (!isWorkingDay(deps.clock.now())) return;
  const { state, differences } = await runReconciliation(deps, { askedBy: 'schedule', signal });
  deps.logger.info({ status: state, differences }, 'reconciliation.done');
  // The bank may answer later: the job is tried again.
  if (state === 'incomplete') throw new Error('some partners could not be compared with their bank');
}

type GivenDeps = Omit<FundingDeps, 'recordActivity'> & Omit<ReconciliationDeps, 'pause'>;

export function fundingHandlers(given: GivenDeps): [Queue, JobHandler][] {
  const deps = { ...given, recordActivity, pause: async (ms: number) => setTimeout(ms) };
  return [
    [readDeposits, async ({ signal }) => readDueSources(deps, signal)],
    [openFunding, async ({ signal }) => openWaitingFunding(deps, signal)],
    [lowWallets, async ({ signal }) => watchWallets(deps, signal)],
    [
      depositBackfill,
      async () => {
        const sources = await backfillDeposits(deps);
        deps.logger.info({ sources }, 'deposits.backfilled');
      },
    ],
    [reconcile, async ({ signal }) => reconcileToday(deps, signal)],
  ];
}
