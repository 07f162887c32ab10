// The wiring of the api, in plain sight: which routes it has, and what each is given.
import { addDiscoveryRoutes } from '../http/discovery.ts';
import { createDrain, type Drain } from '../http/drain.ts';
import { addHealthRoutes } from '../http/health.ts';
import { addReferenceRoutes, describeRoutes } from '../http/reference.ts';
import { createServer, type Server } from '../http/server.ts';
import type { Clock } from '../platform/clock.ts';
import { assertServiceRole } from '../platform/database/service-role.ts';
import { assertApplied, newestMigration } from '../platform/database/migrate.ts';
import type { Pool } from '../platform/database/pool.ts';
import type { Logger } from '../platform/logging.ts';
import type { Meter } from '../platform/metrics.ts';

interface ApiParts {
  clock: Clock;
  logger: Logger;
  meter: Meter;
  pool: Pool;
  publicUrl: string;
  drainDelayMs: number;
}

export async function composeApi(parts: ApiParts): Promise<{ app: Server; drain: Drain }> {
  const { app, connections, seal } = createServer(parts);
  const drain = createDrain(app, connections, parts.drainDelayMs);
  await describeRoutes(app);
  addHealthRoutes(app, [databaseServes(parts.pool)], drain.isDraining);
  addDiscoveryRoutes(app, parts.publicUrl);
  await addReferenceRoutes(app);
  seal();
  return { app, drain };
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
