import type { Clock } from '../platform/clock.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import type { JobSender, Queue } from '../platform/jobs/jobs.ts';
import { openSandbox, type NewPartner } from './open-sandbox.ts';

/** It runs every minute for those that could not be connected, and at once where a partner is created. */
export const connectSandboxes: Queue = { name: 'connect-sandboxes', retryLimit: 3, schedule: '* * * * *' };

/** A new partner with its sandbox, and the job that connects it to the sandbox bank: one commit. */
export async function openPartner(
  tx: Transaction,
  { clock, jobs }: { clock: Clock; jobs: Pick<JobSender, 'enqueue'> },
  partner: NewPartner,
): Promise<PartnerContext> {
  const partnerEnvironment = await openSandbox(tx, clock, partner);
  await jobs.enqueue(tx, connectSandboxes, {});
  return partnerEnvironment;
}
