// The wiring of the api, in plain sight: which routes it has, and what each is given.
import { addKeyRoutes } from '../access/edge/key-routes.ts';
import { createKeyring, createPepper } from '../access/index.ts';
import { addActivityRoutes } from '../activity/edge/activity-routes.ts';
import type { ActivityRecorder } from '../activity/index.ts';
import { addBillingRoutes } from '../billing/edge/billing-routes.ts';
import { logActivity } from '../http/activity-log.ts';
import { createAuthentication, type Authentication } from '../http/authentication.ts';
import { addDiscoveryRoutes } from '../http/discovery.ts';
import { createDrain, type Drain } from '../http/drain.ts';
import { addHealthRoutes } from '../http/health.ts';
import { limitByKey, limitByNetwork, type RateLimits } from '../http/rate-limit.ts';
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
import type { SingleCalls } from '../platform/database/single-call.ts';
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
  calls: SingleCalls;
  reach: ReachPoint;
  recorder: ActivityRecorder;
  limits: RateLimits;
  publicUrl: string;
  drainDelayMs: number;
  trustedProxies: readonly string[] | null;
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

export async function composeApi(parts: ApiParts): Promise<{ app: Server; drain: Drain }> {
  const { calls, recorder, limits } = parts;
  const { app, connections, seal } = createServer(parts);
  const drain = createDrain(app, connections, parts.drainDelayMs);
  await describeRoutes(app);
  addHealthRoutes(app, [databaseServes(parts.pool)], drain.isDraining);
  const auth = authentication(parts);
  const limitOpen = limitByNetwork(limits.open);
  const activity = logActivity(app, auth, (answered) => recorder.record(answered));
  addDiscoveryRoutes(app, parts.publicUrl, limitOpen);
  addPublicPartnerRoutes(app, { calls, limitOpen });
  addAccountRoutes(app, { ...auth, calls });
  addPayoutRoutes(app, {
    ...payoutParts(parts),
    ...auth,
    activity,
    limitPayoutCreation: limitByKey(limits.payouts, auth.callerOf),
  });
  addPayoutListRoutes(app, { ...parts, ...auth });
  addRecipientRoutes(app, { ...parts, ...auth });
  addBillingRoutes(app, { ...parts, ...auth });
  addKeyRoutes(app, { ...parts, ...auth });
  addActivityRoutes(app, { ...parts, ...auth });
  await addWebhookRoutes(app, { ...parts, calls });
  await addReferenceRoutes(app, limitOpen);
  seal(limitOpen);
  return { app, drain };
}

function authentication({ secrets, clock, calls, limits }: ApiParts): Authentication {
  const keyring = createKeyring(calls, clock, createPepper(secrets.apiKeyPepper));
  return createAuthentication(async (secret) => {
    const key = await keyring.identify(secret);
    if (key === null) return null;
    const { id: keyId, prefix: keyPrefix, partnerId, environment } = key;
    return { keyId, keyPrefix, partnerId, environment };
  }, limits);
}

function payoutParts({ calls, clock, logger, reach, secrets, ...parts }: ApiParts) {
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
