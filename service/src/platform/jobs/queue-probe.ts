import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from '../database/pool.ts';
import type { Logger } from '../logging.ts';

/** A job begins within this time of its commit. */
const probeEveryMs = 250;

export interface QueueProbe {
  stop(): Promise<void>;
}

const waitingQueues = {
  name: 'waiting_queues',
  text: `select queue from unnest($1::text[]) queue
    where exists (select from pgboss.job where name = queue and state < 'active' and start_after <= now())`,
};

/**
 * Asks which queues have a job that can begin now, and wakes their workers. The engine would poll each queue with a query
 * of its own: an idle worker spent most of its time on that.
 */
export function startQueueProbe(
  pool: Pool,
  logger: Logger,
  queues: readonly string[],
  wake: (queue: string) => void,
): QueueProbe {
  const stopping = new AbortController();
  const probe = async (): Promise<void> => {
    const { rows } = await pool.query<{ queue: string }>({ ...waitingQueues, values: [queues] });
    for (const { queue } of rows) wake(queue);
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await probe().catch((error: unknown) => logger.warn({ error }, 'jobs.probe_failed'));
      await wait(probeEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const done = run();
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
