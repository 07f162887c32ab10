import { accessQueues } from '../../access/jobs.ts';
import { billingQueues } from '../../billing/jobs.ts';
import { fundingQueues } from '../../funding/jobs.ts';
import { partnerQueues } from '../../partners/jobs.ts';
import { payoutQueues } from '../../payouts/jobs.ts';
import { housekeepingQueues } from '../../platform/jobs/housekeeping.ts';
import type { Queue } from '../../platform/jobs/jobs.ts';
import { mailQueues } from '../../platform/mail/jobs.ts';
import { verificationQueues } from '../verification/jobs.ts';
import { reconciliationQueues } from '../../reconciliation/jobs.ts';

/** Every queue there is: `kelpie-admin migrate` creates them. */
export const queues: readonly Queue[] = [
  ...housekeepingQueues,
  ...mailQueues,
  ...accessQueues,
  ...partnerQueues,
  ...payoutQueues,
  ...billingQueues,
  ...fundingQueues,
  ...reconciliationQueues,
  ...verificationQueues,
];
