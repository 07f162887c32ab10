// How an api process begins, serves and ends.
import { createActivityRecorder, createSecurityRecorder, type ActivityRecorder } from '../activity/index.ts';
import { createPepper, createUseRecorder } from '../access/index.ts';
import type { RateLimits } from '../http/limits/rate-limit.ts';
import { createSingleCalls } from '../platform/database/single-call.ts';
import { openJobSender } from '../platform/jobs/jobs.ts';
import { createEgress } from '../platform/egress/egress.ts';
import { createEncryptor } from '../platform/encryption.ts';
import { settings, type Setting } from '../platform/configuration/settings.ts';
import { openArchive } from './wiring/archive.ts';
import { chooseBanks, openWebhookKeys } from './wiring/banks.ts';
import { composeApi } from './compose-api.ts';
import { chooseEgress } from './wiring/egress.ts';
import { chooseAnchor, startApiHeartbeat } from './wiring/heartbeat.ts';
import { publishLastHeartbeat } from './wiring/gauges.ts';
import { chooseIssuer } from './wiring/invoice-issuer.ts';
import { chooseSender, chooseSupport, openOutbox } from './wiring/mail.ts';
import { openStatus } from './wiring/status.ts';
import { beginApi, stopOnSignal } from './wiring/process.ts';
import { chooseStandby, openStandbyReads } from './wiring/standby.ts';
import { chooseRateRules, openRateLimits } from './wiring/rate-limits.ts';

/** What something else can be put in the place of, to measure what it costs. */
interface Replaced {
  recorder?: ActivityRecorder;
  limits?: RateLimits;
}

function chooseApi(get: <Value>(setting: Setting<Value>) => Value) {
  return {
    host: get(settings.apiHost),
    port: get(settings.apiPort),
    publicUrl: get(settings.publicUrl),
    // For links in the mails that it posts, and for their ids.
    dashboardUrl: get(settings.dashboardUrl),
    mailFrom: chooseSender(get),
    supportEmail: chooseSupport(get),
    drainDelayMs: get(settings.drainDelayMs),
    trustedProxies: get(settings.trustedProxies),
    maxConnections: get(settings.maxConnections),
    unverifiedInvitationsPerDay: get(settings.unverifiedInvitationsPerDay),
    rateRules: chooseRateRules(get),
    secrets: {
      apiKeyPepper: get(settings.apiKeyPepper),
      dataKeys: get(settings.dataKeys),
      indexKey: get(settings.indexKey),
    },
    issuer: chooseIssuer(get),
    anchorFile: chooseAnchor(get),
    archiveFolder: get(settings.archive),
    standby: chooseStandby(get),
    statusFile: get(settings.statusFile),
    banks: chooseBanks(get),
    egress: chooseEgress(get),
    webhookKeys: { sandbox: get(settings.sandboxBankWebhookKey), live: get(settings.liveBankWebhookKey) },
  };
}

export async function serveApi(replaced: Replaced = {}): Promise<void> {
  const begun = await beginApi(chooseApi);
  const { own, mode, clock, failpoint, logger, metrics, metricsPort, pool, enginePool, endPools } = begun;
  const { wakes, wakeUps, tracer, measurePool } = begun;
  const { meter } = metrics;
  const calls = createSingleCalls(pool, failpoint);
  const applicationName = 'kelpie-api-reads';
  const standbyReads = openStandbyReads(own.standby, { calls, logger, meter, measurePool, applicationName });
  const recorder = replaced.recorder ?? createActivityRecorder(calls, logger);
  const securityRecorder = createSecurityRecorder(calls, logger);
  const pepperVersion = createPepper(own.secrets.apiKeyPepper).version;
  const uses = createUseRecorder(calls, { clock, logger, pepperVersion });
  const limits = replaced.limits ?? openRateLimits(own.rateRules, calls, logger);
  const jobs = openJobSender(enginePool, logger, wakes);
  const webhookKeys = openWebhookKeys(own.webhookKeys);
  const encryptor = createEncryptor(own.secrets.dataKeys);
  const outbox = openOutbox({ jobs, encryptor, clock, mailFrom: own.mailFrom, supportEmail: own.supportEmail });
  const egress = createEgress(own.egress);
  const archive = openArchive({ folder: own.archiveFolder, calls, clock, logger });
  const engines = {
    archive,
    clock,
    failpoint,
    logger,
    tracer,
    pool,
    calls,
    standbyReads,
    recorder,
    securityRecorder,
    uses,
    limits,
    jobs,
    wakes,
    wakeUps,
    outbox,
    egress,
    allowedNetworks: own.egress.allowed,
  };
  const { startStatus, ...status } = openStatus({ ...own, calls, clock, logger });
  let isCompared = own.anchorFile === null;
  const { app, drain, servesDashboard } = await composeApi({
    ...own,
    ...engines,
    ...status,
    webhookKeys,
    meter,
    isCompared: () => isCompared,
  });
  publishLastHeartbeat({ meter, logger, pool });
  const statusWatch = await startStatus({ hasDashboard: servesDashboard || own.dashboardUrl !== null });
  // Before the database is there: the status page is served without it.
  await app.listen({ host: own.host, port: own.port, listenTextResolver: () => 'api.socket_open' });
  const heartbeat = await startApiHeartbeat({ calls, clock, logger, anchorFile: own.anchorFile });
  isCompared = true;
  stopOnSignal(
    logger,
    async () => {
      await Promise.all([drain.drain(), statusWatch.stop()]);
      await heartbeat.stop();
      await recorder.stop();
      await securityRecorder.stop();
      await uses.stop();
      await jobs.stop();
      await egress.close();
      await standbyReads.end();
      await endPools();
      await tracer.stop();
      await metrics.close();
    },
    own.drainDelayMs,
  );
  const [bound] = app.addresses();
  const port = typeof bound === 'object' ? bound.port : own.port;
  logger.info({ mode, port, metrics_port: metricsPort }, 'api.listening');
}
