// The wiring of the worker, in plain sight: which jobs it does, and what each is given.
import type { Clock } from '../platform/clock.ts';
import { makeMonthPartitions } from '../platform/database/month-partitions.ts';
import type { Pool } from '../platform/database/pool.ts';
import type { JobHandler, Queue } from '../platform/jobs.ts';
import type { Logger } from '../platform/logging.ts';

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
        const made = await makeMonthPartitions(pool, clock.now());
        logger.info({ partitions: made }, 'partitions.made');
      },
    ],
  ]);
}
