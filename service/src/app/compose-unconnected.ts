import { createLogger } from '../platform/logging.ts';
import { createMetrics } from '../platform/metrics.ts';
import { noFailpoint } from '../platform/failpoint.ts';
import { openPool } from '../platform/database/pool.ts';
import { systemClock } from '../platform/clock.ts';
import { createActivityRecorder, createSecurityRecorder } from '../activity/index.ts';
import { createSingleCalls } from '../platform/database/single-call.ts';
import { createReads } from '../platform/database/standby/reads.ts';
import { createEgress } from '../platform/egress/egress.ts';
import { createEncryptor } from '../platform/encryption.ts';
import { noTracer } from '../platform/tracing/tracer.ts';
import { noWakeListener } from '../platform/wake-ups/wake-listener.ts';
import { noWakeSender } from '../platform/wake-ups/wake-sender.ts';
import { createStatusPages } from '../status/routes/status-routes.ts';
import { composeApi } from './compose-api.ts';
import type { Server } from '../http/server.ts';
import { openArchive } from './wiring/archive.ts';
import { openOutbox } from './wiring/mail.ts';
import { openRateLimits } from './wiring/rate-limits.ts';

const logger = createLogger('describe', 'silent');
const noKey = Buffer.alloc(32);
const unused = 'postgres://nobody@localhost/none';
const pool = openPool({ url: unused, connections: 1, applicationName: 'kelpie-describe', logger });
const calls = createSingleCalls(pool, noFailpoint);
const dataKeys = new Map([[1, noKey]]);
const jobs = { enqueue: async () => Promise.reject(new Error('nothing is done here')) };
const supportEmail = 'support@kelpie.example';
const noLimit = { perSecond: 1, burst: 1 };
/** The api with all its routes, and without anything behind them: for what reads the routes. */
export async function composeUnconnected(): Promise<Server> {
  const { app } = await composeApi({
    clock: systemClock,
    logger,
    meter: createMetrics().meter,
    tracer: noTracer,
    pool,
    calls,
    archive: openArchive({ folder: null, calls, clock: systemClock, logger }),
    standbyReads: createReads(calls, null),
    recorder: createActivityRecorder(calls, logger),
    securityRecorder: createSecurityRecorder(calls, logger),
    uses: { record: () => undefined, redigest: () => undefined },
    limits: openRateLimits(
      {
        requests: noLimit,
        payouts: noLimit,
        invitations: noLimit,
        mailboxes: noLimit,
        signUps: noLimit,
        accountChanges: noLimit,
        open: noLimit,
      },
      calls,
      logger,
    ),
    publicUrl: 'http://localhost:4000',
    dashboardUrl: null,
    supportEmail,
    jobs,
    wakes: noWakeSender,
    wakeUps: noWakeListener,
    outbox: openOutbox({
      jobs,
      encryptor: createEncryptor(dataKeys),
      clock: systemClock,
      mailFrom: null,
      supportEmail,
    }),
    drainDelayMs: 0,
    trustedProxies: null,
    maxConnections: 1,
    unverifiedInvitationsPerDay: 1,
    issuer: { name: 'Kelpie', details: [], payTo: null },
    failpoint: noFailpoint,
    secrets: { apiKeyPepper: dataKeys, dataKeys, indexKey: dataKeys },
    banks: { sandbox: { url: null, apiKey: null, controlUrl: null }, live: { url: null, apiKey: null } },
    webhookKeys: { sandbox: null, live: null },
    egress: createEgress({ proxyUrl: null, allowed: [] }),
    allowedNetworks: [],
    statusPages: createStatusPages({ clock: systemClock, supportEmail }),
    onLiveCircuit: () => undefined,
    isCompared: () => true,
  });
  await app.ready();
  return app;
}
