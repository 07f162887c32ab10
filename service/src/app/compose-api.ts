// The wiring of the api, in plain sight: which routes it has, and what each is given.
import { createKeyring, createPepper } from '../access/index.ts';
import { createAuthentication, type Authentication } from '../http/authentication.ts';
import { addDiscoveryRoutes } from '../http/discovery.ts';
import { createDrain, type Drain } from '../http/drain.ts';
import { addHealthRoutes } from '../http/health.ts';
import { addReferenceRoutes, describeRoutes } from '../http/reference.ts';
import { createServer, type Server } from '../http/server.ts';
import { createSides } from '../partners/index.ts';
import { addPayoutRoutes } from '../payouts/edge/payout-routes.ts';
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

export async function composeApi(parts: ApiParts): Promise<{ app: Server; drain: Drain }> {
  const { app, connections, seal } = createServer(parts);
  const drain = createDrain(app, connections, parts.drainDelayMs);
  await describeRoutes(app);
  addHealthRoutes(app, [databaseServes(parts.pool)], drain.isDraining);
  addDiscoveryRoutes(app, parts.publicUrl);
  const calls = createSingleCalls(parts.pool, parts.reach);
  addPayoutRoutes(app, { ...payoutParts(parts, calls), ...authentication(parts, calls) });
  await addWebhookRoutes(app, { ...parts, calls });
  await addReferenceRoutes(app);
  seal();
  return { app, drain };
}

function authentication({ secrets }: ApiParts, calls: SingleCalls): Authentication {
  const keyring = createKeyring(calls, createPepper(secrets.apiKeyPepper));
  return createAuthentication(async (secret) => {
    const key = await keyring.identify(secret);
    if (key === null) return null;
    const { id: keyId, prefix: keyPrefix, partnerId, environment } = key;
    return { keyId, keyPrefix, partnerId, environment };
  });
}

function payoutParts({ clock, logger, pool, reach, secrets, ...parts }: ApiParts, calls: SingleCalls) {
  const banks = openBanks(parts.banks, clock, reach);
  return {
    calls,
    commits: createCommits(calls, clock, parts.commitsAtOnce),
    clock,
    logger,
    pool,
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
