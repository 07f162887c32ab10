// The wiring of the api, in plain sight: which routes it has, and what each is given.
import { addCodeRoutes } from '../access/routes/code-routes.ts';
import { addFreezeRoutes } from '../access/routes/freeze-routes.ts';
import { addKeyChangeRoutes } from '../access/routes/key-change-routes.ts';
import { addKeyRoutes, shownKey } from '../access/routes/key-routes.ts';
import { addMemberRoutes, shownMember } from '../access/routes/member-routes.ts';
import { addNotificationRoutes } from '../access/routes/notification-routes.ts';
import { addOwnAccountRoutes } from '../access/routes/own-account-routes.ts';
import { addPasskeyRoutes } from '../access/routes/passkey-routes.ts';
import { addPasskeyStepRoutes } from '../access/routes/passkey-step-routes.ts';
import { addSessionListRoutes } from '../access/routes/session-list-routes.ts';
import { addSessionRoutes } from '../access/routes/session-routes.ts';
import {
  createAdminNotifier,
  createCodeDigests,
  createConfirmations,
  createConfirmedTransactions,
  createFreezeLinks,
  createMailboxLimit,
  createApiKeyAuthenticator,
  createPepper,
  createSessions,
  createSignUpBudget,
  relyingPartyOf,
  requireAdmin,
  listAdminEmails,
  type Sessions,
  type UseRecorder,
} from '../access/index.ts';
import { addActivityRoutes } from '../activity/routes/activity-routes.ts';
import { addSecurityEventRoutes } from '../activity/routes/security-event-routes.ts';
import { recordActivity, type ActivityRecorder, type SecurityRecorder } from '../activity/index.ts';
import { addWebhookRoutes } from '../banks/routes/webhook-routes.ts';
import { addInvoicePdfRoutes } from '../billing/routes/invoice-pdf-routes.ts';
import { addInvoiceRoutes, shownInvoice } from '../billing/routes/invoice-routes.ts';
import { addStatementRoutes } from '../billing/routes/statement-routes.ts';
import { addUsageRoutes } from '../billing/routes/usage-routes.ts';
import { chargeApproval, type InvoiceIssuer } from '../billing/index.ts';
import { addEventRoutes } from '../events/routes/event-routes.ts';
import { createEventReader, createEventWatches, watchLimits, type EventWatches } from '../events/index.ts';
import { addDeliveryRoutes } from '../webhooks/routes/delivery-routes.ts';
import { addEndpointRoutes } from '../webhooks/routes/endpoint-routes.ts';
import { addDepositRoutes, shownDeposit } from '../funding/routes/deposit-routes.ts';
import { addFundingRoutes } from '../funding/routes/funding-routes.ts';
import { addSandboxDepositRoutes } from '../funding/routes/sandbox-deposit-routes.ts';
import { wakeDeposit, type FundingDeps } from '../funding/index.ts';
import { logActivity, type ActivityLog } from '../http/activity-log.ts';
import { createAuthentication, type Authentication } from '../http/auth/authentication.ts';
import { addDashboardRoutes } from '../http/pages/dashboard.ts';
import { addDocsRoutes } from '../http/pages/docs.ts';
import { addDiscoveryRoutes } from '../http/pages/discovery.ts';
import { addSecurityTxt } from '../http/pages/security-txt.ts';
import { createDrain, type Drain } from '../http/drain.ts';
import { refuseUntil } from '../http/refuse-until.ts';
import { addHealthRoutes } from '../http/health.ts';
import {
  limitByCaller,
  limitByNetwork,
  limitByPartner,
  limitBriefly,
  type LimitHook,
  type RateLimits,
} from '../http/limits/rate-limit.ts';
import { describeRoutes } from '../http/reference/describe-routes.ts';
import { addReferenceRoutes } from '../http/reference/page.ts';
import { refuseForeignPages } from '../http/auth/session-cookie.ts';
import { createServer, type Server } from '../http/server.ts';
import { addAccountRoutes } from '../partners/routes/account-routes.ts';
import { addConfirmAddressRoutes } from '../partners/routes/confirm-address-routes.ts';
import { addPublicPartnerRoutes } from '../partners/routes/public-partner-routes.ts';
import { addVerificationRoutes } from '../partners/routes/verification-routes.ts';
import {
  createAddressLinks,
  createPlanMarkups,
  createPartnerEnvironments,
  openPartner,
  wakeVerification,
} from '../partners/index.ts';
import { addApprovalRuleRoutes } from '../payouts/routes/approval-rule-routes.ts';
import { addDailyRoutes } from '../payouts/routes/daily-routes.ts';
import { addHistoryRoutes } from '../payouts/routes/history-routes.ts';
import { addLimitChangeRoutes } from '../payouts/routes/limit-change-routes.ts';
import { addLimitRoutes } from '../payouts/routes/limit-routes.ts';
import { addPayoutExportRoutes } from '../payouts/routes/payout-export-routes.ts';
import { addPayoutListRoutes } from '../payouts/routes/payout-list-routes.ts';
import { addPayoutRequestRoutes, shownPayoutRequest } from '../payouts/routes/payout-request-routes.ts';
import { addPayoutRecipientRoutes } from '../payouts/routes/payout-recipient-routes.ts';
import { addPayoutRoutes } from '../payouts/routes/payout-routes.ts';
import { describePayoutVersions } from '../payouts/routes/payout-versions.ts';
import { addRecipientRoutes } from '../payouts/routes/recipient-routes.ts';
import { addSandboxBankRoutes } from '../payouts/routes/sandbox-bank-routes.ts';
import { addSandboxPayoutRoutes } from '../payouts/routes/sandbox-payout-routes.ts';
import {
  createCommits,
  createKnownPayouts,
  createNameOldPayouts,
  createPayoutMetrics,
  createPayoutReader,
  createRates,
  createWebhookReceiver,
  type PayoutDeps,
} from '../payouts/index.ts';
import { addStatusRoutes, statusPaths, type StatusPages } from '../status/routes/status-routes.ts';
import type { Archive } from '../archive/index.ts';
import type { Clock } from '../platform/clock.ts';
import { dashboardPages } from '../platform/dashboard-pages.ts';
import { assertServiceRole } from '../platform/database/service-role.ts';
import { assertApplied, readExpected } from '../platform/database/migrate.ts';
import type { Pool } from '../platform/database/pool.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { Reads } from '../platform/database/standby/reads.ts';
import { tooBusy } from '../platform/database/too-busy.ts';
import { listMissingPartitions } from '../platform/database/month-partitions.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { Failpoint } from '../platform/failpoint.ts';
import type { JobSender } from '../platform/jobs/jobs.ts';
import type { WakeListener } from '../platform/wake-ups/wake-listener.ts';
import type { WakeSender } from '../platform/wake-ups/wake-sender.ts';
import { ownOriginsOf } from '../platform/own-origins.ts';
import { createVersionedDigest } from '../platform/keyed-digest.ts';
import type { Logger } from '../platform/logging.ts';
import type { Outbox } from '../platform/mail/outbox.ts';
import { createMicroBatch } from '../platform/micro-batch.ts';
import type { Meter } from '../platform/metrics.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';
import type { Egress } from '../platform/egress/egress.ts';
import { createEncryptor, type DataKeys } from '../platform/encryption.ts';
import {
  openBanks,
  openSandboxControls,
  withAskedAnswers,
  type BankAddresses,
  type OnCircuit,
  type OpenBanks,
  type WebhookKeys,
} from './wiring/banks.ts';
import { dashboardFolder, docsFolder } from './wiring/built-pages.ts';

interface ApiDeps {
  clock: Clock;
  logger: Logger;
  meter: Meter;
  tracer: Tracer;
  pool: Pool;
  calls: SingleCalls;
  archive: Archive;
  /** For what may be answered by a standby. */
  standbyReads: Reads;
  failpoint: Failpoint;
  recorder: ActivityRecorder;
  securityRecorder: SecurityRecorder;
  uses: Pick<UseRecorder, 'record' | 'redigest'>;
  limits: RateLimits;
  jobs: Pick<JobSender, 'enqueue'>;
  wakes: Pick<WakeSender, 'wake'>;
  wakeUps: WakeListener;
  publicUrl: string;
  /** Where people are signed in, and mails lead; null where that is the dashboard that the api serves itself. */
  dashboardUrl: string | null;
  /** Where people write for help. */
  supportEmail: string;
  outbox: Outbox;
  drainDelayMs: number;
  trustedProxies: readonly string[] | null;
  maxConnections: number;
  unverifiedInvitationsPerDay: number;
  secrets: ApiSecrets;
  /** Whom invoices are from, and where they are paid to. */
  issuer: InvoiceIssuer;
  banks: BankAddresses;
  webhookKeys: WebhookKeys;
  /** For requests to addresses that partners chose. */
  egress: Egress;
  allowedNetworks: readonly string[];
  statusPages: Pick<StatusPages, 'current'>;
  onLiveCircuit: OnCircuit;
  /** Whether the database was compared with its anchor. Until then only health and status are served. */
  isCompared: () => boolean;
}

interface ApiSecrets {
  apiKeyPepper: ReadonlyMap<number, Buffer>;
  dataKeys: DataKeys;
  indexKey: ReadonlyMap<number, Buffer>;
}

interface ComposedApi {
  app: Server;
  drain: Drain;
  /** Not if the dashboard was not built. */
  servesDashboard: boolean;
}

export async function composeApi(deps: ApiDeps): Promise<ComposedApi> {
  const { archive, calls, clock, pool, recorder, limits, publicUrl } = deps;
  const { reads, fileReads } = deps.standbyReads;
  const tools = openSecrets(deps.secrets);
  const { writeGate } = pool;
  const { app, connections, finish } = createServer({ ...deps, retryAfterSeconds: writeGate.retryAfterSeconds });
  const changes = openWatches(deps);
  const drain = createDrain(app, connections, { delayMs: deps.drainDelayMs, endWaits: () => changes.stop() });
  refuseUntil(app, deps.isCompared, ['/healthz', ...statusPaths]);
  await describeRoutes(app, { publicUrl, supportEmail: deps.supportEmail });
  addHealth(app, deps, drain);
  const sessions = createSessions({ pool, calls, clock, uses: deps.uses, pepper: tools.pepper });
  const auth = authentication(deps, tools, sessions);
  const limitOpen = limitByNetwork(limits.open);
  const activity = logActivity(app, auth, (answered) => recorder.record(answered));
  const banks = withAskedAnswers(openBanks(deps.banks, clock, deps.failpoint, deps), calls);
  addStatusRoutes(app, { pages: deps.statusPages, limit: limitBriefly(limits.open) });
  addDiscoveryRoutes(app, { publicUrl, supportEmail: deps.supportEmail, limitOpen });
  addSecurityTxt(app, { clock, publicUrl, supportEmail: deps.supportEmail, limitOpen });
  addPublicPartnerRoutes(app, { calls, recogniseKey: auth.recogniseKey });
  const acts = actDeps(deps, tools);
  addSignInRoutes(app, deps, { auth, acts, sessions, limitOpen, tools });
  addSessionListRoutes(app, { ...auth, ...acts, pool, calls, sessions, activity });
  addFreezeRoutes(app, { ...acts, pool, limitOpen, refuseForeign: refuseForeignPages(ownOrigins(deps)) });
  addSettingsRoutes(app, deps, { auth, acts, activity, limitOpen, tools });
  addVerificationRoutes(app, { ...auth, ...verificationDeps(deps, banks), requireAdmin });
  const payouts = payoutDeps(deps, tools, banks);
  const creation = { ...auth, ...payouts, ...acts, pool };
  addPayoutRoutes(app, {
    ...creation,
    changes,
    changedPayouts: createPayoutReader({ calls, archive }, payouts.known, { mostWaiting: watchLimits.most }),
    activity,
    limitPayoutCreation: limitByCaller(limits.payouts, auth.callerOf),
  });
  addPayoutRequestRoutes(app, { ...creation, publicUrl });
  addApprovalRuleRoutes(app, { ...auth, ...acts, pool });
  addPayoutListRoutes(app, { ...auth, calls, archive, reads, known: payouts.known, publicUrl });
  addPayoutExportRoutes(app, { ...auth, calls: fileReads, archive, clock });
  addHistoryRoutes(app, { ...auth, pool, archive });
  addPayoutRecipientRoutes(app, { ...auth, calls, archive, encryptor: tools.encryptor });
  addRecipientRoutes(app, { ...auth, calls: reads, clock });
  addLimitRoutes(app, { ...auth, pool, clock });
  addLimitChangeRoutes(app, { ...auth, ...acts, pool, activity });
  addFundingRoutes(app, { ...auth, calls, encryptor: tools.encryptor });
  addDepositRoutes(app, { ...auth, calls, encryptor: tools.encryptor, publicUrl });
  addSandboxRoutes(app, deps, { auth, payouts, funding: fundingDeps(deps, tools, banks) });
  addFeedRoutes(app, deps, auth);
  const endpoints = { ...auth, ...acts, pool, calls, encryptor: tools.encryptor };
  addEndpointRoutes(app, { ...endpoints, allowedNetworks: deps.allowedNetworks });
  addDeliveryRoutes(app, { ...endpoints, egress: deps.egress, wakes: deps.wakes, publicUrl });
  addUsageRoutes(app, { ...auth, calls: reads, clock });
  const nameOldPayouts = createNameOldPayouts({ calls, archive });
  addInvoiceRoutes(app, { ...auth, calls: fileReads, archive, nameOldPayouts, clock, publicUrl });
  addInvoicePdfRoutes(app, { ...auth, calls: fileReads, clock, issuer: deps.issuer });
  addStatementRoutes(app, { ...auth, calls, reads: fileReads, archive, nameOldPayouts, clock, publicUrl });
  addDailyRoutes(app, { ...auth, calls: reads, clock });
  addAccessRoutes(app, deps, { auth, acts, activity, tools });
  addActivityRoutes(app, { ...auth, calls: reads, recorder });
  addSecurityEventRoutes(app, { ...auth, calls: reads, publicUrl });
  await addWebhookRoutes(app, webhookDeps(deps));
  await addReferenceRoutes(app, limitOpen);
  addDocsRoutes(app, { folder: docsFolder, publicUrl, supportEmail: deps.supportEmail, limitOpen });
  const servesDashboard = addDashboardRoutes(app, dashboardFolder);
  finish(auth);
  return { app, drain, servesDashboard };
}

/** Whether this process can serve. */
function addHealth(app: Server, { pool, clock, logger, trustedProxies }: ApiDeps, { isDraining }: Drain): void {
  addHealthRoutes(app, {
    checks: [databaseServes(pool)],
    writeChecks: [nextMonthStands(pool, clock)],
    isDraining,
    takesWrites: pool.writeGate.isOpen,
    logger,
    trustedProxies,
  });
}

/** What happened, with each kind of resource as its own routes show it. */
function addFeedRoutes(
  app: Server,
  { clock, publicUrl, standbyReads: { reads } }: ApiDeps,
  auth: Authentication,
): void {
  const payouts = describePayoutVersions(reads);
  const reader = createEventReader({ calls: reads, clock, payouts });
  const kinds = {
    payout: payouts,
    payout_request: shownPayoutRequest,
    deposit: shownDeposit,
    invoice: shownInvoice,
    key: shownKey,
    member: shownMember,
  };
  addEventRoutes(app, { ...auth, reader, publicUrl, kinds });
}

interface SandboxRouteDeps {
  auth: Authentication;
  payouts: PayoutDeps & { archive: Archive };
  funding: FundingDeps;
}

/** How partners drive their sandbox. */
function addSandboxRoutes(app: Server, { banks }: ApiDeps, { auth, payouts, funding }: SandboxRouteDeps): void {
  const controls = openSandboxControls(banks);
  addSandboxPayoutRoutes(app, { ...auth, ...payouts, controls });
  addSandboxDepositRoutes(app, { ...auth, ...funding, controls });
  addSandboxBankRoutes(app, { ...auth, ...payouts });
}

/** Where callers wait for changes. */
function openWatches({ calls, logger, meter, wakeUps }: ApiDeps): EventWatches {
  const watches = createEventWatches({ calls, logger, wakeUps });
  meter
    .createObservableGauge('kelpie_waiting_requests', { description: 'Requests that wait for a change of a payout' })
    .addCallback((gauge) => gauge.observe(watches.count()));
  return watches;
}

interface SignInRouteDeps {
  auth: Authentication;
  acts: ActDeps;
  sessions: Sessions;
  limitOpen: LimitHook;
  tools: SecretTools;
}

function addSignInRoutes(app: Server, deps: ApiDeps, { auth, acts, ...more }: SignInRouteDeps): void {
  const { sessions, limitOpen, tools } = more;
  const { calls, clock, recorder, securityRecorder, limits, supportEmail } = deps;
  const signingIn = signInDeps(deps, tools);
  const limitAccountChanges = limitByCaller(limits.accountChanges, auth.callerOf);
  addCodeRoutes(app, {
    ...signingIn,
    limitOpen,
    limitMailbox: createMailboxLimit(limits.mailboxes, tools.codeDigests),
    requireBudget: createSignUpBudget({ clock, leases: limits.signUps, digest: tools.challengeDigest }),
  });
  addSessionRoutes(app, {
    ...auth,
    ...signingIn,
    links: acts.links,
    calls,
    sessions,
    recorder,
    securityRecorder,
    limitOpen,
    supportEmail,
  });
  const passkeys = { ...acts, pool: deps.pool, outbox: deps.outbox, handleDigest: tools.handleDigest };
  addPasskeyRoutes(app, { ...auth, ...passkeys });
  addPasskeyStepRoutes(app, {
    ...passkeys,
    calls,
    pepper: tools.pepper,
    sessions,
    limitOpen,
    refuseForeign: signingIn.refuseForeign,
    supportEmail,
  });
  addOwnAccountRoutes(app, {
    ...auth,
    calls,
    clock,
    pepper: tools.pepper,
    sessions,
    recorder,
    limitAccountChanges,
    supportEmail,
  });
}

interface AccessRouteDeps {
  auth: Authentication;
  acts: ActDeps;
  activity: ActivityLog;
  tools: SecretTools;
}

/** Who may call, and who may sign in: API keys and members. */
function addAccessRoutes(app: Server, deps: ApiDeps, { auth, acts, activity, tools }: AccessRouteDeps): void {
  const { calls, clock, pool, outbox, limits } = deps;
  const people = { ...auth, ...acts, pool, calls, outbox, activity };
  addKeyRoutes(app, { ...auth, calls, clock });
  addKeyChangeRoutes(app, { ...people, pepper: tools.pepper });
  addMemberRoutes(app, {
    ...people,
    limitInvitations: limitByPartner(limits.invitations, auth.callerOf),
    limitMailbox: createMailboxLimit(limits.mailboxes, tools.codeDigests),
    unverifiedInvitationsPerDay: deps.unverifiedInvitationsPerDay,
  });
  addNotificationRoutes(app, { ...auth, pool, activity });
}

/** What an admin sets of the account, and who confirms the addresses in it. */
function addSettingsRoutes(
  app: Server,
  deps: ApiDeps,
  { auth, acts, activity, limitOpen, tools }: AccessRouteDeps & { limitOpen: LimitHook },
): void {
  const { calls, clock, pool, outbox, limits } = deps;
  const addressLinks = createAddressLinks(tools.addressDigest, acts.dashboardUrl);
  const limitMailbox = createMailboxLimit(limits.mailboxes, tools.codeDigests);
  addAccountRoutes(app, { ...auth, ...acts, calls, activity, outbox, addressLinks, limitMailbox });
  const refuseForeign = refuseForeignPages(ownOrigins(deps));
  addConfirmAddressRoutes(app, { pool, clock, addressLinks, limitOpen, refuseForeign });
}

/** What is made of the secrets, once: no route is given the secrets themselves. */
type SecretTools = ReturnType<typeof openSecrets>;

function openSecrets({ apiKeyPepper, dataKeys, indexKey }: ApiSecrets) {
  return {
    pepper: createPepper(apiKeyPepper),
    encryptor: createEncryptor(dataKeys),
    // Codes live for minutes: those of the key before are asked for again.
    codeDigests: createCodeDigests(createVersionedDigest(indexKey, 'sign-in codes').newest),
    orderDigest: createVersionedDigest(indexKey, 'orders to confirm').newest,
    accountDigest: createVersionedDigest(indexKey, 'account index'),
    bodyDigest: createVersionedDigest(indexKey, 'body fingerprint'),
    challengeDigest: createVersionedDigest(indexKey, 'sign-up challenges').newest,
    freezeDigest: createVersionedDigest(indexKey, 'freeze links'),
    addressDigest: createVersionedDigest(indexKey, 'address links'),
    handleDigest: createVersionedDigest(indexKey, 'passkey handles').newest,
  };
}

/** The address of the dashboard. */
function dashboardOf({ dashboardUrl, publicUrl }: ApiDeps): string {
  return dashboardUrl ?? `${publicUrl}/dashboard`;
}

function ownOrigins(deps: ApiDeps): string[] {
  return ownOriginsOf(dashboardOf(deps));
}

type ActDeps = ReturnType<typeof actDeps>;

/** What an act of an admin takes: its confirmation by a code, and the emails about it. */
function actDeps(deps: ApiDeps, { orderDigest, codeDigests, freezeDigest }: SecretTools) {
  const { pool, clock, outbox } = deps;
  const dashboardUrl = dashboardOf(deps);
  const party = relyingPartyOf(dashboardUrl);
  const confirmations = createConfirmations({ pool, clock, outbox, orderDigest, digests: codeDigests, party });
  const links = createFreezeLinks(freezeDigest, dashboardUrl);
  return {
    clock,
    dashboardUrl,
    links,
    party,
    confirmations,
    inConfirmedTransaction: createConfirmedTransactions({ pool, confirmations }),
    notifyAdmins: createAdminNotifier({ clock, outbox, links }),
  };
}

function authentication(deps: ApiDeps, { pepper }: SecretTools, sessions: Sessions): Authentication {
  const { clock, calls, limits, uses } = deps;
  const apiKeyAuthenticator = createApiKeyAuthenticator({ calls, clock, pepper, uses });
  return createAuthentication({
    async identifyKey(secret, address) {
      const key = await apiKeyAuthenticator.identify(secret, address);
      if (key === null) return null;
      const { id: callerId, prefix: by, environment, ...known } = key;
      return { via: 'api', callerId, limitId: callerId, by, environment, askedEnvironment: environment, ...known };
    },
    identifySession: async (token, how) => sessions.identify(token, how),
    limits,
    ownOrigins: ownOrigins(deps),
  });
}

function signInDeps(deps: ApiDeps, { encryptor, pepper, codeDigests }: SecretTools) {
  const { clock, pool, jobs, outbox, failpoint } = deps;
  return {
    pool,
    clock,
    jobs,
    outbox,
    failpoint,
    encryptor,
    pepper,
    digests: codeDigests,
    refuseForeign: refuseForeignPages(ownOrigins(deps)),
    async openPartner(tx: Transaction, partner: { id: string; slug: string; name: string }) {
      await openPartner(tx, { clock, jobs }, partner);
    },
  };
}

function verificationDeps(deps: ApiDeps, banks: OpenBanks) {
  const { pool, calls, clock, logger, outbox } = deps;
  const dashboardUrl = dashboardOf(deps);
  return {
    pool,
    calls,
    clock,
    logger,
    outbox,
    bank: banks.provider_production,
    listAdmins: listAdminEmails,
    onApproved: chargeApproval,
    dashboardUrl,
    redirectUrl: dashboardUrl + dashboardPages.compliance('live'),
  };
}

function payoutDeps({ archive, calls, clock, logger, meter, wakes }: ApiDeps, tools: SecretTools, banks: OpenBanks) {
  const { accountDigest, bodyDigest, encryptor } = tools;
  const known = createKnownPayouts();
  return {
    calls,
    commits: createCommits(calls, clock, { wakes, metrics: createPayoutMetrics(meter) }),
    clock,
    logger,
    banks,
    partnerEnvironments: createPartnerEnvironments(calls),
    markups: createPlanMarkups(calls),
    known,
    archive,
    payouts: createPayoutReader({ calls, archive }, known),
    rates: createRates(banks, clock),
    encryptor,
    accountDigest,
    bodyDigest,
  };
}

/** What crediting a top-up takes. */
function fundingDeps(deps: ApiDeps, { encryptor }: SecretTools, banks: OpenBanks): FundingDeps {
  const { pool, calls, clock, logger, outbox } = deps;
  const notifying = { outbox, listAdmins: listAdminEmails, dashboardUrl: dashboardOf(deps) };
  return { pool, calls, clock, logger, encryptor, banks, recordActivity, ...notifying };
}

/** What a bank's webhook wakes, by what it is about. */
function webhookDeps({ clock, logger, calls, pool, jobs, wakes, webhookKeys }: ApiDeps) {
  const waking = { calls, pool, clock, jobs };
  // Two at a time: a flood of these leaves the other connections to callers, too.
  const inTurn = createMicroBatch<() => Promise<void>, undefined>({
    name: 'receive_webhook',
    size: 1,
    eager: true,
    keyOf: null,
    didNothing: () => false,
    tooMany: tooBusy,
    async together(batch) {
      for (const wake of batch) await wake();
      return batch.map(() => undefined);
    },
  });
  return {
    clock,
    logger,
    webhookKeys,
    wakePayment: createWebhookReceiver({ calls, clock, wakes }),
    wakeVerification: async (id: string) => inTurn(async () => wakeVerification(waking, id)),
    wakeDeposit: async (news: Parameters<typeof wakeDeposit>[1]) => inTurn(async () => wakeDeposit(waking, news)),
  };
}

/** Without partitions of the next month, every creation would fail from its first instant on. */
function nextMonthStands(pool: Pool, clock: Clock) {
  return {
    name: 'next_month',
    async run() {
      const missing = await listMissingPartitions(pool, clock.now(), 1);
      if (missing.length > 0) throw new Error('a table has no partition for the next month');
    },
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
