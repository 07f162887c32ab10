// What a worker does for partners: connects their sandboxes to the bank, and asks it how far their verifications are.
import type { BankCustomers, BankVerification } from '../banks/index.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { JobHandler, Queue } from '../platform/jobs/jobs.ts';
import { connectWaitingSandboxes } from './connect-waiting-sandboxes.ts';
import { connectSandboxes } from './open-partner.ts';
import type { VerificationDeps } from './verification/deps.ts';
import { refreshDueVerifications } from './verification/refresh-due-verifications.ts';
import { refreshVerifications } from './verification/wake-verification.ts';

export const partnerQueues: readonly Queue[] = [connectSandboxes, refreshVerifications];

interface PartnerJobDeps extends Omit<VerificationDeps, 'bank'> {
  calls: SingleCalls;
  /** Null where none is configured: then nothing is asked of it. */
  banks: { provider_sandbox: BankCustomers | null; provider_production: BankVerification | null };
  /** What follows once partners have a wallet at the bank. It is done at once, so that they can top up. */
  onConnected: (signal: AbortSignal) => Promise<void>;
}

export function partnerHandlers({ banks, onConnected, ...deps }: PartnerJobDeps): [Queue, JobHandler][] {
  return [
    [
      connectSandboxes,
      async ({ signal }) => {
        const bank = banks.provider_sandbox;
        if (bank === null) return;
        await connectWaitingSandboxes({ ...deps, bank }, signal);
        await onConnected(signal);
      },
    ],
    [
      refreshVerifications,
      async ({ signal }) => {
        const bank = banks.provider_production;
        if (bank === null) return;
        await refreshDueVerifications({ ...deps, bank }, signal);
        await onConnected(signal);
      },
    ],
  ];
}
