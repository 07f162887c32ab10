// What a worker does for people who sign in, and for their keys: emails their codes, deletes what has expired, and warns of
// keys that expire.
import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { Encryptor } from '../platform/encryption.ts';
import type { JobHandler, Queue } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/logging.ts';
import type { Outbox } from '../platform/mail/outbox.ts';
import { recordRetention } from '../platform/retention/record-retention.ts';
import { notifyExpiry } from './keys/notify-expiry.ts';
import { mailWaitingCodes } from './signing-in/mail-code.ts';
import { signInMails } from './signing-in/request-code.ts';
import { sweepSignIns } from './signing-in/sweep-sign-ins.ts';

const signInSweep: Queue = { name: 'sign-in-sweep', retryLimit: 5, schedule: '37 2 * * *' };

const keyExpiry: Queue = { name: 'key-expiry', retryLimit: 5, schedule: '17 7 * * *' };

export const accessQueues: readonly Queue[] = [signInMails, signInSweep, keyExpiry];

interface AccessJobDeps {
  clock: Clock;
  logger: Logger;
  pool: Pool;
  calls: SingleCalls;
  encryptor: Encryptor;
  /** Null without a relay: codes stay where they are, and a worker that has one emails them. */
  outbox: Outbox | null;
  /** Null where emails have no link. */
  dashboardUrl: string | null;
}

export function accessHandlers({ outbox, ...deps }: AccessJobDeps): [Queue, JobHandler][] {
  const sweep: [Queue, JobHandler] = [
    signInSweep,
    async () => {
      const swept = await sweepSignIns(deps.calls, deps.clock);
      await recordRetention(deps.calls, signInSweep, { removed: swept, at: deps.clock.now() });
      deps.logger.info({ rows: swept }, 'sign_ins.swept');
    },
  ];
  if (outbox === null) return [sweep];
  return [
    sweep,
    [signInMails, async ({ signal }) => mailWaitingCodes({ ...deps, outbox }, signal)],
    [
      keyExpiry,
      async ({ signal }) => {
        const rows = await notifyExpiry({ ...deps, outbox }, signal);
        deps.logger.info({ rows }, 'keys.expiry_notified');
      },
    ],
  ];
}
