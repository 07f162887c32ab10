// The wiring of the api, in plain sight: which routes it has, and what each is given.
import { fileURLToPath } from 'node:url';
import { addCodeRoutes } from '../access/routes/code-routes.ts';
import { addKeyChangeRoutes } from '../access/routes/key-change-routes.ts';
import { addKeyRoutes } from '../access/routes/key-routes.ts';
import { addMemberRoutes } from '../access/routes/member-routes.ts';
import { addOwnAccountRoutes } from '../access/routes/own-account-routes.ts';
import { addSessionRoutes } from '../access/routes/session-routes.ts';
import {
  createCodeDigests,
  createConfirmations,
  createApiKeyAuthenticator,
  createPepper,
  createSessions,
  requireAdmin,
  listAdminEmails,
  type Sessions,
} from '../access/index.ts';
import { addActivityRoutes } from '../activity/routes/activity-routes.ts';
import type { ActivityRecorder } from '../activity/index.ts';
import { addInvoicePdfRoutes } from '../billing/routes/invoice-pdf-routes.ts';
import { addInvoiceRoutes } from '../billing/routes/invoice-routes.ts';
import { addStatementRoutes } from '../billing/routes/statement-routes.ts';
import { addUsageRoutes } from '../billing/routes/usage-routes.ts';
import { chargeApproval, type InvoiceIssuer } from '../billing/index.ts';
import { addDepositRoutes } from '../funding/routes/deposit-routes.ts';
import { addFundingRoutes } from '../funding/routes/funding-routes.ts';
import { wakeDeposit } from '../funding/index.ts';
import { logActivity } from '../http/activity-log.ts';
import { createAuthentication, type Authentication } from '../http/auth/authentication.ts';
import { addDashboardRoutes } from '../http/pages/dashboard.ts';
import { addDiscoveryRoutes } from '../http/pages/discovery.ts';
import { createDrain, type Drain } from '../http/drain.ts';
import { addHealthRoutes } from '../http/health.ts';
import { limitByCaller, limitByNetwork, limitByPartner, type RateLimits } from '../http/limits/rate-limit.ts';
import { addReferenceRoutes, describeRoutes } from '../http/pages/reference.ts';
import { refuseForeignPages } from '../http/auth/session-cookie.ts';
import { createServer, type Server } from '../http/server.ts';
import { addAccountRoutes } from '../partners/routes/account-routes.ts';
import { addPublicPartnerRoutes } from '../partners/routes/public-partner-routes.ts';
import { addVerificationRoutes } from '../partners/routes/verification-routes.ts';
import { createPlanMarkups, createPartnerEnvironments, wakeVerification } from '../partners/index.ts';
import { addDailyRoutes } from '../payouts/routes/daily-routes.ts';
import { addHistoryRoutes } from '../payouts/routes/history-routes.ts';
import { addPayoutListRoutes } from '../payouts/routes/payout-list-routes.ts';
import { addPayoutRoutes } from '../payouts/routes/payout-routes.ts';
import { addRecipientRoutes } from '../payouts/routes/recipient-routes.ts';
import { addWebhookRoutes } from '../payouts/routes/webhook-routes.ts';
import { createCommits, createPayoutReader, createRates } from '../payouts/index.ts';
import type { Clock } from '../platform/clock.ts';
import { assertServiceRole } from '../platform/database/service-role.ts';
import { assertApplied, readExpected } from '../platform/database/migrate.ts';
import type { Pool } from '../platform/database/pool.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { Failpoint } from '../platform/failpoint.ts';
import type { JobSender } from '../platform/jobs/jobs.ts';
import { createKeyedDigest } from '../platform/keyed-digest.ts';
import type { Logger } from '../platform/logging.ts';
import type { Outbox } from '../platform/mail/outbox.ts';
import type { Meter } from '../platform/metrics.ts';
import { createEncryptor, type DataKeys } from '../platform/encryption.ts';
import { openBanks, type BankAddresses, type OpenBanks, type WebhookKeys } from './wiring/banks.ts';
import { openPartner } from './wiring/open-partner.ts';

interface ApiDeps {
  clock: Clock;
  logger: Logger;
  meter: Meter;
  pool: Pool;
  calls: SingleCalls;
  failpoint: Failpoint;
  recorder: ActivityRecorder;
  limits: RateLimits;
  jobs: Pick<JobSender, 'enqueue'>;
  publicUrl: string;
  /** Where people are signed in, and mails lead; null where that is the dashboard that the api serves itself. */
  dashboardUrl: string | null;
  outbox: Outbox;
  drainDelayMs: number;
  trustedProxies: readonly string[] | null;
  secrets: ApiSecrets;
  /** Whom invoices are from, and where they are paid to. */
  issuer: InvoiceIssuer;
  banks: BankAddresses;
  webhookKeys: WebhookKeys;
}

interface ApiSecrets {
  apiKeyPepper: Buffer;
  dataKeys: DataKeys;
  indexKey: Buffer;
}

/** Where `npm run dashboard:build` puts it. */
const dashboardFolder = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));

export async function composeApi(deps: ApiDeps): Promise<{ app: Server; drain: Drain }> {
  const { calls, recorder, limits } = deps;
  const { app, connections, finish } = createServer(deps);
  const drain = createDrain(app, connections, deps.drainDelayMs);
  await describeRoutes(app);
  addHealthRoutes(app, [databaseServes(deps.pool)], drain.isDraining);
  const sessions = createSessions({ ...deps, pepper: createPepper(deps.secrets.apiKeyPepper) });
  const auth = authentication(deps, sessions);
  const limitOpen = limitByNetwork(limits.open);
  const activity = logActivity(app, auth, (answered) => recorder.record(answered));
  addDiscoveryRoutes(app, deps.publicUrl, limitOpen);
  addPublicPartnerRoutes(app, { calls, limitOpen });
  const signingIn = { ...signInDeps(deps), limitOpen };
  addCodeRoutes(app, signingIn);
  addSessionRoutes(app, { ...signingIn, ...auth, sessions, recorder });
  addOwnAccountRoutes(app, {
    ...signingIn,
    ...auth,
    sessions,
    recorder,
    limitAccountChanges: limitByCaller(limits.accountChanges, auth.callerOf),
  });
  addAccountRoutes(app, { ...deps, ...auth, activity, requireAdmin });
  const banks = openBanks(deps.banks, deps.clock, deps.failpoint);
  addVerificationRoutes(app, { ...verificationDeps(deps, banks), ...auth, requireAdmin });
  addPayoutRoutes(app, {
    ...payoutDeps(deps, banks),
    ...auth,
    activity,
    limitPayoutCreation: limitByCaller(limits.payouts, auth.callerOf),
  });
  addPayoutListRoutes(app, { ...deps, ...auth });
  addHistoryRoutes(app, { ...deps, ...auth });
  addRecipientRoutes(app, { ...deps, ...auth });
  const funding = { ...deps, ...auth, encryptor: createEncryptor(deps.secrets.dataKeys) };
  addFundingRoutes(app, funding);
  addDepositRoutes(app, funding);
  addUsageRoutes(app, { ...deps, ...auth });
  addInvoiceRoutes(app, { ...deps, ...auth });
  addInvoicePdfRoutes(app, { ...deps, ...auth });
  addStatementRoutes(app, { ...deps, ...auth });
  addDailyRoutes(app, { ...deps, ...auth });
  addKeyRoutes(app, { ...deps, ...auth });
  const people = { ...deps, ...auth, activity, dashboardUrl: dashboardOf(deps) };
  addKeyChangeRoutes(app, { ...people, pepper: createPepper(deps.secrets.apiKeyPepper) });
  addMemberRoutes(app, { ...people, limitInvitations: limitByPartner(limits.invitations, auth.callerOf) });
  addActivityRoutes(app, { ...deps, ...auth });
  await addWebhookRoutes(app, {
    ...deps,
    wakeVerification: async (id) => wakeVerification(deps, id),
    wakeDeposit: async (news) => wakeDeposit(deps, news),
  });
  await addReferenceRoutes(app, limitOpen);
  addDashboardRoutes(app, dashboardFolder);
  finish(limitOpen);
  return { app, drain };
}

/** The address of the dashboard. */
function dashboardOf({ dashboardUrl, publicUrl }: ApiDeps): string {
  return dashboardUrl ?? `${publicUrl}/dashboard`;
}

function authentication(deps: ApiDeps, sessions: Sessions): Authentication {
  const { secrets, clock, calls, limits } = deps;
  const apiKeyAuthenticator = createApiKeyAuthenticator(calls, clock, createPepper(secrets.apiKeyPepper));
  return createAuthentication({
    async identifyKey(secret) {
      const key = await apiKeyAuthenticator.identify(secret);
      if (key === null) return null;
      const { id: callerId, prefix: by, partnerId, environment } = key;
      return { via: 'api', callerId, limitId: callerId, by, partnerId, environment };
    },
    identifySession: async (token) => sessions.identify(token),
    limits,
    ownOrigin: new URL(dashboardOf(deps)).origin,
  });
}

function signInDeps(deps: ApiDeps) {
  const { secrets, clock, pool, calls, jobs } = deps;
  return {
    pool,
    calls,
    clock,
    jobs,
    encryptor: createEncryptor(secrets.dataKeys),
    pepper: createPepper(secrets.apiKeyPepper),
    digests: codeDigests(secrets),
    refuseForeign: refuseForeignPages(new URL(dashboardOf(deps)).origin),
    async openPartner(tx: Transaction, partner: { id: string; slug: string; name: string }) {
      await openPartner(tx, { clock, jobs }, partner);
    },
  };
}

function codeDigests({ indexKey }: ApiSecrets) {
  return createCodeDigests(createKeyedDigest(indexKey, 'sign-in codes'));
}

function confirmations({ pool, clock, outbox, secrets }: ApiDeps) {
  const orderDigest = createKeyedDigest(secrets.indexKey, 'orders to confirm');
  return createConfirmations({ pool, clock, outbox, orderDigest, digests: codeDigests(secrets) });
}

function verificationDeps(deps: ApiDeps, banks: OpenBanks) {
  const dashboardUrl = dashboardOf(deps);
  const bank = banks.provider_production;
  return {
    ...deps,
    bank,
    listAdmins: listAdminEmails,
    onApproved: chargeApproval,
    dashboardUrl,
    redirectUrl: dashboardUrl,
  };
}

function payoutDeps(deps: ApiDeps, banks: OpenBanks) {
  const { calls, clock, logger, secrets } = deps;
  return {
    calls,
    commits: createCommits(calls, clock),
    clock,
    logger,
    banks,
    partnerEnvironments: createPartnerEnvironments(calls),
    markups: createPlanMarkups(calls),
    payouts: createPayoutReader(calls),
    rates: createRates(banks, clock),
    encryptor: createEncryptor(secrets.dataKeys),
    accountDigest: createKeyedDigest(secrets.indexKey, 'account index'),
    bodyDigest: createKeyedDigest(secrets.indexKey, 'body fingerprint'),
    confirmations: confirmations(deps),
  };
}

/** The database answers, binds us to row security, and is at least as new as this code. */
function databaseServes(pool: Pool) {
  const expected = readExpected();
  return {
    name: 'database',
    async run() {
      await assertServiceRole(pool);
      await assertApplied(pool, expected);
    },
  };
}
