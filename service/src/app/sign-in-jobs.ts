// What the worker does for people who sign in: mails their codes, and sweeps what is over.
import { mailWaitingCodes, signInMails, sweepSignIns } from '../access/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { JobHandler, Queue } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/logging.ts';
import type { Outbox } from '../platform/mail/outbox.ts';
import type { Encryptor } from '../platform/encryption.ts';

const signInSweep: Queue = { name: 'sign-in-sweep', retryLimit: 5, schedule: '37 2 * * *' };

export const signInQueues: readonly Queue[] = [signInMails, signInSweep];

interface SignInJobDeps {
  clock: Clock;
  logger: Logger;
  pool: Pool;
  calls: SingleCalls;
  encryptor: Encryptor;
  outbox: Outbox | null;
}

/** Without a relay, codes stay where they are: a worker that has one mails them. */
export function signInHandlers({ outbox, ...deps }: SignInJobDeps): [Queue, JobHandler][] {
  const sweep: [Queue, JobHandler] = [
    signInSweep,
    async () => {
      const swept = await sweepSignIns(deps.calls, deps.clock);
      deps.logger.info({ rows: swept }, 'sign_ins.swept');
    },
  ];
  if (outbox === null) return [sweep];
  return [sweep, [signInMails, async ({ signal }) => mailWaitingCodes({ ...deps, outbox }, signal)]];
}
