import { migrate, type Migrated } from '../../platform/database/migrate.ts';
import { makeMonthPartitions } from '../../platform/database/month-partitions.ts';
import { openPool } from '../../platform/database/pool.ts';
import { installJobEngine } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/logging.ts';
import { queues } from './queues.ts';

/** The tables, the job engine with its queues, and the partitions of the months to come. Names the migrations applied. */
export async function migrateEverything(options: { ownerUrl: string; now: Date; logger: Logger }): Promise<Migrated> {
  const { ownerUrl, now, logger } = options;
  const pool = openPool({ url: ownerUrl, connections: 2, applicationName: 'kelpie-migrate', logger });
  const afterwards = async (): Promise<void> => {
    await installJobEngine(pool, queues, logger);
    const partitions = await makeMonthPartitions(pool, now);
    if (partitions.length > 0) logger.info({ partitions }, 'partitions.created');
  };
  try {
    return await migrate({ ownerUrl, now, logger, afterwards });
  } finally {
    await pool.end();
  }
}
