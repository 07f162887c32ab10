// What a worker does for the database itself: partitions of the months to come and of those to forget, and rate limits that
// nobody uses any more.
import type { Clock } from '../clock.ts';
import { dropExpiredPartitions, makeMonthPartitions } from '../database/month-partitions.ts';
import type { Pool } from '../database/pool.ts';
import type { SingleCalls } from '../database/single-call.ts';
import type { Logger } from '../logging.ts';
import { sweepRateBuckets } from '../rate-limits/store.ts';
import { recordRetention } from '../retention/record-retention.ts';
import type { JobHandler, Queue } from './jobs.ts';

const monthPartitions: Queue = { name: 'month-partitions', retryLimit: 20, schedule: '17 3 * * *' };
const oldPartitions: Queue = { name: 'old-partitions', retryLimit: 5, schedule: '7 3 * * *' };
const rateBuckets: Queue = { name: 'rate-buckets', retryLimit: 5, schedule: '23 * * * *' };

export const housekeepingQueues: readonly Queue[] = [monthPartitions, oldPartitions, rateBuckets];

interface HousekeepingDeps {
  clock: Clock;
  logger: Logger;
  pool: Pool;
  calls: SingleCalls;
}

export function housekeepingHandlers({ clock, logger, pool, calls }: HousekeepingDeps): [Queue, JobHandler][] {
  return [
    [
      monthPartitions,
      async () => {
        const made = await makeMonthPartitions(pool, clock.now());
        logger.info({ partitions: made }, 'partitions.created');
      },
    ],
    [
      oldPartitions,
      async () => {
        const dropped = await dropExpiredPartitions(pool, clock.now());
        await recordRetention(calls, oldPartitions, { removed: dropped.length, at: clock.now() });
        logger.info({ partitions: dropped }, 'partitions.dropped');
      },
    ],
    [
      rateBuckets,
      async () => {
        const swept = await sweepRateBuckets(calls);
        logger.info({ buckets: swept }, 'rate_buckets.swept');
      },
    ],
  ];
}
