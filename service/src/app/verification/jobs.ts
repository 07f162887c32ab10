// What a worker does for the books as a whole: verifies them, every night.
import type { JobHandler, Queue } from '../../platform/jobs/jobs.ts';
import { verifyNightly, type NightlyDeps } from './verify-nightly.ts';

/** After the day can be closed, and before the working day. The first run on a large ledger closes every day of it. */
const verifyLedger: Queue = {
  name: 'verify-ledger',
  retryLimit: 5,
  schedule: '20 2 * * *',
  expireSeconds: 6 * 60 * 60,
};

export const verificationQueues: readonly Queue[] = [verifyLedger];

/** Null where there is no key to close days with, which production does not start without. */
export function verificationHandlers(deps: NightlyDeps | null): [Queue, JobHandler][] {
  return [
    [
      verifyLedger,
      async ({ signal }) => {
        if (deps !== null) await verifyNightly(deps, signal);
      },
    ],
  ];
}
