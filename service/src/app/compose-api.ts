// The wiring of the api, in plain sight: which routes it has, and what each is given.
import { addKeyRoutes } from '../access/edge/key-routes.ts';
import { createKeyring, createPepper } from '../access/index.ts';
import { addActivityRoutes } from '../activity/edge/activity-routes.ts';
import { createActivityRecorder, type ActivityRecorder } from '../activity/index.ts';
import { addBillingRoutes } from '../billing/edge/billing-routes.ts';
import { logActivity } from '../http/activity-log.ts';
import { createAuthentication, type Authentication } from '../http/authentication.ts';
import { addDiscoveryRoutes } from '../http/discovery.ts';
import { createDrain, type Drain } from '../http/drain.ts';
import { addHealthRoutes } from '../http/health.ts';
import { addReferenceRoutes, describeRoutes } from '../http/reference.ts';
import { createServer, type Server } from '../http/server.ts';
import { addAccountRoutes } from '../partners/edge/account-routes.ts';
import { addPublicPartnerRoutes } from '../partners/edge/public-partner-routes.ts';
import { createSides } from '../partners/index.ts';
import { addPayoutListRoutes } from '../payouts/edge/payout-list-routes.ts';
import { addPayoutRoutes } from '../payouts/edge/payout-routes.ts';
import { addRecipientRoutes } from '../payouts/edge/recipient-routes.ts';
import { addWebhookRoutes } from '../payouts/edge/webhook-routes.ts';
import { createCommits, createPayoutReader, createRates } from '../payouts/index.ts';
import type { Clock } from '../platform/clock.ts';
import { assertServiceRole } from '../platform/database/service-role.ts';
import { assertApplied, newestMigration } from '../platform/database/migrate.ts';
import type { Pool } from '../platform/database/pool.ts';
import { createSingleCalls, type SingleCalls } from '../platform/database/single-call.ts';
import type { ReachPoint } from '../platform/crash-point.ts';
import { createKeyedDigest } from '../platform/keyed-digest.ts';
import type { Logger } from '../platform/logging.ts';
import type { Meter } from '../platform/metrics.ts';
import { createSealer, type DataKeys } from '../platform/sealing.ts';
import { openBanks, type BankAddresses, type WebhookKeys } from './banks.ts';

interface ApiParts {
  clock: Clock;
  logger: Logger;
  meter: Meter;
  pool: Pool;
  reach: ReachPoint;
  publicUrl: string;
  drainDelayMs: number;
  secrets: ApiSecrets;
  commitsAtOnce: number;
  banks: BankAddresses;
  webhookKeys: WebhookKeys;
}

interface ApiSecrets {
  apiKeyPepper: Buffer;
  dataKeys: DataKeys;
  indexKey: Buffer;
}

interface Api {
  app: Server;
  drain: Drain;
  /** What was asked and is not written down yet. */
  recorder: ActivityRecorder;
}

export async function composeApi(parts: ApiParts): Promise<Api> {
  const { app, connections, seal } = createServer(parts);
  const drain = createDrain(app, connections, parts.drainDelayMs);
  await describeRoutes(app);
  addHealthRoutes(app, [databaseServes(parts.pool)], drain.isDraining);
  addDiscoveryRoutes(app, parts.publicUrl);
  const calls = createSingleCalls(parts.pool, parts.reach);
  const recorder = createActivityRecorder(calls, parts.logger);
  const auth = authentication(parts, calls);
  const activity = logActivity(app, auth, (answered) => recorder.record(answered));
  addPublicPartnerRoutes(app, { calls });
  addAccountRoutes(app, { ...auth, calls });
  addPayoutRoutes(app, { ...payoutParts(parts, calls), ...auth, activity });
  addPayoutListRoutes(app, { ...parts, ...auth, calls });
  addRecipientRoutes(app, { ...parts, ...auth, calls });
  addBillingRoutes(app, { ...parts, ...auth, calls });
  addKeyRoutes(app, { ...parts, ...auth, calls });
  addActivityRoutes(app, { ...auth, calls, recorder });
  await addWebhookRoutes(app, { ...parts, calls });
  await addReferenceRoutes(app);
  seal();
  return { app, drain, recorder };
}

function authentication({ secrets, clock }: ApiParts, calls: SingleCalls): Authentication {
  const keyring = createKeyring(calls, clock, createPepper(secrets.apiKeyPepper));
  return createAuthentication(async (secret) => {
    const key = await keyring.identify(secret);
    if (key === null) return null;
    const { id: keyId, prefix: keyPrefix, partnerId, environment } = key;
    return { keyId, keyPrefix, partnerId, environment };
  });
}

function payoutParts({ clock, logger, reach, secrets, ...parts }: ApiParts, calls: SingleCalls) {
  const banks = openBanks(parts.banks, clock, reach);
  return {
    calls,
    commits: createCommits(calls, clock, parts.commitsAtOnce),
    clock,
    logger,
    banks,
    sides: createSides(calls),
    payouts: createPayoutReader(calls),
    rates: createRates(banks, clock),
    sealer: createSealer(secrets.dataKeys),
    accountDigest: createKeyedDigest(secrets.indexKey, 'account index'),
    bodyDigest: createKeyedDigest(secrets.indexKey, 'body fingerprint'),
  };
}

/** The database answers, binds us to row security, and is at least as new as this code. */
function databaseServes(pool: Pool) {
  const newest = newestMigration();
  return {
    name: 'database',
    async run() {
      await assertServiceRole(pool);
      await assertApplied(pool, newest);
    },
  };
}
