import { openSandbox } from '../../partners/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import type { JobSender } from '../../platform/jobs/jobs.ts';
import { connectSandboxes } from '../compose-worker.ts';

interface NewPartner {
  /** The transaction must be this partner's. */
  id: string;
  slug: string;
  name: string;
}

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
