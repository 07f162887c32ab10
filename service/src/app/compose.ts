// All the wiring, in plain sight: which routes the api has, which jobs the worker does, and what each of them is given.
import { addDiscoveryRoutes } from '../http/discovery.ts';
import { createDrain, type Drain } from '../http/drain.ts';
import { addHealthRoutes } from '../http/health.ts';
import { addReferenceRoutes, describeRoutes } from '../http/reference.ts';
import { createServer, type Server } from '../http/server.ts';
import type { Clock } from '../platform/clock.ts';
import { newestMigration } from '../platform/database/migrate.ts';
import { makeMonthPartitions } from '../platform/database/month-partitions.ts';
import type { Pool } from '../platform/database/pool.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import type { JobHandler, Queue } from '../platform/jobs.ts';
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
  const { app, seal } = createServer(parts);
  const drain = createDrain(app, parts.drainDelayMs);
  await describeRoutes(app);
  addHealthRoutes(app, [migrationsApplied(parts.pool)], drain.isDraining);
  addDiscoveryRoutes(app, parts.publicUrl);
  await addReferenceRoutes(app);
  seal();
  return { app, drain };
}

/** The database answers, and is at least as new as this code. */
function migrationsApplied(pool: Pool) {
  const newest = newestMigration();
  return {
    name: 'database',
    async run() {
      const { rowCount } = await pool.query('select from kelpie.migrations where name = $1', [newest]);
      if (rowCount !== 1) throw new Error(`${newest} is not applied`);
    },
  };
}

const monthPartitions: Queue = { name: 'month-partitions', retryLimit: 20, schedule: '17 3 * * *' };

/** Every queue there is: `kelpie migrate` makes them. */
export const queues: readonly Queue[] = [monthPartitions];

interface WorkerParts {
  clock: Clock;
  logger: Logger;
  pool: Pool;
}

export function composeWorker({ clock, logger, pool }: WorkerParts): Map<Queue, JobHandler> {
  return new Map([
    [
      monthPartitions,
      async () => {
        const made = await inTransaction(pool, 'shared', async (tx) => makeMonthPartitions(tx, clock.now()));
        logger.info({ partitions: made }, 'partitions.made');
      },
    ],
  ]);
}
