// What a worker does for top-ups: opens where they are sent to, reads what arrived, warns of wallets that run low, and keeps
// as much at the bank as partners have.
import type { JobHandler, Queue } from '../platform/jobs/jobs.ts';
import { backfillDeposits } from './backfill.ts';
import { eraseInRounds } from '../platform/retention/erase-in-rounds.ts';
import { eraseOldSenders } from './erase-old-senders.ts';
import type { FundingDeps } from './deps.ts';
import { balanceFloats } from './float/balance-floats.ts';
import { checkCover } from './float/check-cover.ts';
import type { FloatDeps } from './float/deps.ts';
import { openWaitingFunding } from './open-waiting-funding.ts';
import { readDueSources } from './read-due-sources.ts';
import { readDeposits } from './wake-deposit.ts';
import { watchWallets } from './watch-wallets.ts';

/** For partners that could not be given an account and an address when they were connected. */
const openFunding: Queue = { name: 'open-funding', retryLimit: 3, schedule: '* * * * *' };
const lowWallets: Queue = { name: 'low-wallets', retryLimit: 3, schedule: '* * * * *' };
const depositBackfill: Queue = { name: 'backfill-deposits', retryLimit: 5, schedule: '27 4 * * *' };

const floats: Queue = { name: 'balance-floats', retryLimit: 3, schedule: '* * * * *' };
/** After the day's reconciliation, which begins at ten past five. */
const cover: Queue = { name: 'check-cover', retryLimit: 5, schedule: '55 5 * * *' };

const oldSenders: Queue = { name: 'erase-old-senders', retryLimit: 5, schedule: '7 4 * * *' };

export const fundingQueues: readonly Queue[] = [
  readDeposits,
  openFunding,
  lowWallets,
  depositBackfill,
  floats,
  cover,
  oldSenders,
];

export function fundingHandlers(deps: FundingDeps & FloatDeps): [Queue, JobHandler][] {
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
    [floats, async ({ signal }) => balanceFloats(deps, signal)],
    [cover, async ({ signal }) => void (await checkCover(deps, signal))],
    [oldSenders, async ({ signal }) => eraseInRounds(eraseOldSenders, deps, signal)],
  ];
}
