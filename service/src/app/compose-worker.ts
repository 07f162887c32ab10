// The wiring of the worker, in plain sight: which jobs it does, and what each module is given.
import { setTimeout } from 'node:timers/promises';
import {
  createAdminNotifier,
  createFreezeLinks,
  findFirstAdmin,
  listAdminEmails,
  listProblemReaders,
} from '../access/index.ts';
import { accessHandlers } from '../access/jobs.ts';
import { recordActivity } from '../activity/index.ts';
import { chargeApproval, openInvoiceFile, type InvoiceIssuer } from '../billing/index.ts';
import { billingHandlers } from '../billing/jobs.ts';
import { openWaitingFunding } from '../funding/index.ts';
import { fundingHandlers } from '../funding/jobs.ts';
import { createPartnerEnvironments, createPlanMarkups } from '../partners/index.ts';
import { partnerHandlers } from '../partners/jobs.ts';
import { createCommits, createPayoutMetrics, type Banks, type PayoutDeps } from '../payouts/index.ts';
import { payoutHandlers } from '../payouts/jobs.ts';
import type { NotifyAdmins } from '../platform/acts/confirmed-act.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import { createSingleCalls, type SingleCalls } from '../platform/database/single-call.ts';
import { createEncryptor, type DataKeys } from '../platform/encryption.ts';
import { createVersionedDigest } from '../platform/keyed-digest.ts';
import type { Failpoint } from '../platform/failpoint.ts';
import { housekeepingHandlers } from '../platform/jobs/housekeeping.ts';
import type { JobHandler, JobSender, Queue } from '../platform/jobs/jobs.ts';
import type { Logger } from '../platform/logging.ts';
import type { Meter } from '../platform/metrics.ts';
import type { OpenAttachment } from '../platform/mail/attachment.ts';
import { mailHandlers } from '../platform/mail/jobs.ts';
import type { Outbox } from '../platform/mail/outbox.ts';
import type { MailTransport } from '../platform/mail/transport.ts';
import type { WakeSender } from '../platform/wake-ups/wake-sender.ts';
import { reconciliationHandlers } from '../reconciliation/jobs.ts';
import { verificationHandlers } from './verification/jobs.ts';
import type { NightlyDeps } from './verification/verify-nightly.ts';
import { openBanks, withAskedAnswers, type BankAddresses, type Floats } from './wiring/banks.ts';

interface WorkerDeps {
  clock: Clock;
  logger: Logger;
  meter: Meter;
  pool: Pool;
  failpoint: Failpoint;
  banks: BankAddresses;
  floats: Floats;
  dataKeys: DataKeys;
  indexKey: ReadonlyMap<number, Buffer>;
  /** How mails leave; null where there is no relay. */
  transport: MailTransport | null;
  /** Where jobs post mails. */
  outbox: Outbox;
  jobs: Pick<JobSender, 'enqueue'>;
  wakes: Pick<WakeSender, 'wake'>;
  /** Who sends invoices, as it stands on the PDFs that are attached to emails. */
  issuer: InvoiceIssuer;
  dashboardUrl: string | null;
  /** What closes days of the ledger; null where there is no key. */
  verification: Pick<NightlyDeps, 'reader' | 'key' | 'anchorFile' | 'archiveStore'> | null;
}

interface Worker {
  handlers: Map<Queue, JobHandler>;
  /** What looking after open payouts takes. */
  payouts: PayoutDeps;
  notifyAdmins: NotifyAdmins;
}

export function composeWorker(deps: WorkerDeps): Worker {
  const { clock, logger, pool, failpoint, outbox, transport, dashboardUrl, issuer, jobs } = deps;
  const calls = createSingleCalls(pool, failpoint);
  const banks = withAskedAnswers(openBanks(deps.banks, clock, failpoint, deps), calls);
  const payouts = composePayouts(deps, calls, banks);
  const { encryptor } = payouts;
  const engines = { clock, logger, pool, calls, encryptor };
  const notifyAdmins = adminNotifier(deps);
  const notifying = { outbox, listAdmins: listAdminEmails, dashboardUrl };
  const funding = { ...engines, ...notifying, banks, recordActivity, floats: deps.floats };
  const openAttachment: OpenAttachment = async (reference) => openInvoiceFile({ calls, issuer }, reference);
  const onConnected = async (signal: AbortSignal): Promise<void> => openWaitingFunding(funding, signal);
  const handlers = new Map<Queue, JobHandler>([
    ...housekeepingHandlers(engines),
    ...mailHandlers({ ...engines, failpoint, transport, openAttachment }),
    ...accessHandlers({ ...engines, outbox: transport === null ? null : outbox, dashboardUrl }),
    ...partnerHandlers({ ...engines, ...notifying, banks, onApproved: chargeApproval, onConnected }),
    ...payoutHandlers({ ...payouts, ...engines, ...notifying, listProblemReaders, notifyAdmins }),
    ...billingHandlers({ ...engines, ...notifying, failpoint, jobs, findFirstAdmin }),
    ...fundingHandlers(funding),
    ...reconciliationHandlers({ ...engines, banks, pause: async (ms) => setTimeout(ms) }),
    ...verificationHandlers(deps.verification === null ? null : { ...engines, ...deps.verification }),
  ]);
  return { handlers, payouts, notifyAdmins };
}

/** Without the address of a dashboard, emails have no links. */
function adminNotifier({ clock, outbox, dashboardUrl, indexKey }: WorkerDeps): NotifyAdmins {
  if (dashboardUrl !== null) {
    const links = createFreezeLinks(createVersionedDigest(indexKey, 'freeze links'), dashboardUrl);
    return createAdminNotifier({ clock, outbox, links });
  }
  return async (tx, { kind, message }) => {
    for (const to of await listAdminEmails(tx)) await outbox.post(tx, { kind, to, message });
  };
}

/** Banks answer a worker one by one. What it learned within this time is one commit. */
const gatherTransitionsMs = 30;

function composePayouts(deps: WorkerDeps, calls: SingleCalls, banks: Banks): PayoutDeps {
  const { clock, logger, meter, dataKeys, wakes } = deps;
  return {
    calls,
    commits: createCommits(calls, clock, { wakes, metrics: createPayoutMetrics(meter), gatherMs: gatherTransitionsMs }),
    clock,
    logger,
    encryptor: createEncryptor(dataKeys),
    banks,
    partnerEnvironments: createPartnerEnvironments(calls),
    markups: createPlanMarkups(calls),
  };
}
