// The wiring of the worker, in plain sight: which jobs it does, and what each is given.
import { listAdminEmails } from '../access/index.ts';
import { chargeApproval, issueInvoices, runInvoices } from '../billing/index.ts';
import { openWaitingFunding } from '../funding/index.ts';
import {
  connectWaitingSandboxes,
  createPlanMarkups,
  createPartnerEnvironments,
  refreshDueVerifications,
  refreshVerifications,
} from '../partners/index.ts';
import { createCommits, findLateReturns, type Banks, type PayoutDeps } from '../payouts/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Failpoint } from '../platform/failpoint.ts';
import { makeMonthPartitions } from '../platform/database/month-partitions.ts';
import type { Pool } from '../platform/database/pool.ts';
import { createSingleCalls } from '../platform/database/single-call.ts';
import type { JobHandler, Queue } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/logging.ts';
import { monthBefore, monthOf } from '../platform/london-month.ts';
import { sendMail, type Outbox } from '../platform/mail/outbox.ts';
import { sweepMails } from '../platform/mail/sweep-mails.ts';
import type { MailTransport } from '../platform/mail/transport.ts';
import { sweepRateBuckets } from '../platform/rate-limits/store.ts';
import { createEncryptor, type DataKeys } from '../platform/encryption.ts';
import { openBanks, type BankAddresses } from './wiring/banks.ts';
import { fundingHandlers, fundingQueues } from './funding-jobs.ts';
import { mailHandlers } from './wiring/mail.ts';
import { signInHandlers, signInQueues } from './sign-in-jobs.ts';

const monthPartitions: Queue = { name: 'month-partitions', retryLimit: 20, schedule: '17 3 * * *' };

const lateReturns: Queue = { name: 'late-returns', retryLimit: 5, schedule: '47 4 * * *' };

/** It comes round every minute for those that could not be connected, and at once where a partner is made. */
export const connectSandboxes: Queue = { name: 'connect-sandboxes', retryLimit: 3, schedule: '* * * * *' };

const rateBuckets: Queue = { name: 'rate-buckets', retryLimit: 5, schedule: '23 * * * *' };

/** Every queue there is: `kelpie-admin migrate` makes them. */
export const queues: readonly Queue[] = [
  monthPartitions,
  lateReturns,
  connectSandboxes,
  refreshVerifications,
  rateBuckets,
  issueInvoices,
  sendMail,
  sweepMails,
  ...signInQueues,
  ...fundingQueues,
];

interface WorkerDeps {
  clock: Clock;
  logger: Logger;
  pool: Pool;
  failpoint: Failpoint;
  banks: BankAddresses;
  dataKeys: DataKeys;
  /** How mails leave; null where there is no relay. */
  transport: MailTransport | null;
  /** Where jobs post mails. */
  outbox: Outbox;
  dashboardUrl: string | null;
}

/** The jobs, and what looking after open payouts takes. */
export function composeWorker(deps: WorkerDeps): { handlers: Map<Queue, JobHandler>; payouts: PayoutDeps } {
  const { clock, logger, pool } = deps;
  const banks = openBanks(deps.banks, clock, deps.failpoint);
  const payouts = composePayouts(deps, banks);
  const verifying = { calls: payouts.calls, listAdmins: listAdminEmails, onApproved: chargeApproval };
  const funding = { ...deps, ...verifying, encryptor: payouts.encryptor, banks };
  const handlers = new Map<Queue, JobHandler>([
    [
      monthPartitions,
      async () => {
        const made = await makeMonthPartitions(pool, clock.now());
        logger.info({ partitions: made }, 'partitions.made');
      },
    ],
    [
      lateReturns,
      async () => {
        const found = await findLateReturns(payouts);
        logger.info({ payouts: found }, 'late_returns.searched');
      },
    ],
    [
      connectSandboxes,
      async ({ signal }) => {
        const bank = banks.provider_sandbox;
        if (bank === null) return;
        await connectWaitingSandboxes({ pool, clock, logger, bank }, signal);
        // At once, and not with the next round: whoever is connected can top up.
        await openWaitingFunding(funding, signal);
      },
    ],
    [
      refreshVerifications,
      async ({ signal }) => {
        const bank = banks.provider_production;
        if (bank === null) return;
        await refreshDueVerifications({ ...deps, ...verifying, bank }, signal);
        await openWaitingFunding(funding, signal);
      },
    ],
    [
      rateBuckets,
      async () => {
        const swept = await sweepRateBuckets(payouts.calls);
        logger.info({ buckets: swept }, 'rate_buckets.swept');
      },
    ],
    [
      issueInvoices,
      async ({ signal }) => {
        const upto = monthBefore(monthOf(clock.now()));
        const { invoices, failed } = await runInvoices({ ...deps, calls: payouts.calls }, { upto, signal });
        logger.info({ invoices }, 'invoices.issued');
        if (failed > 0) throw new Error('some partners could not be invoiced');
      },
    ],
    ...fundingHandlers(funding),
    ...mailHandlers({ ...deps, encryptor: payouts.encryptor }),
    ...signInHandlers({ ...deps, ...payouts, outbox: deps.transport === null ? null : deps.outbox }),
  ]);
  return { handlers, payouts };
}

function composePayouts({ clock, logger, pool, failpoint, ...deps }: WorkerDeps, banks: Banks): PayoutDeps {
  const calls = createSingleCalls(pool, failpoint);
  return {
    calls,
    commits: createCommits(calls, clock),
    clock,
    logger,
    encryptor: createEncryptor(deps.dataKeys),
    banks,
    partnerEnvironments: createPartnerEnvironments(calls),
    markups: createPlanMarkups(calls),
  };
}
