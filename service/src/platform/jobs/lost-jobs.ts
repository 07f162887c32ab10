import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from '../database/pool.ts';
import type { Logger } from '../logging.ts';

/** It reads all jobs that are kept. */
const lookEveryMs = 15_000;

export interface LostJobWatch {
  stop(): Promise<void>;
}

/**
 * Jobs that the engine itself ended for good: their worker died, or they took too long, at the last attempt. One that threw was
 * reported by its worker, and has another output. Of several workers, the one that marks a job reports it.
 */
const reportLost = {
  name: 'report_lost_jobs',
  text: `update pgboss.job j set output = j.output || '{"reported": true}'
    where j.state = 'failed' and j.output -> 'value' ->> 'message' in ('job timed out', 'job heartbeat timeout')
      and not j.output ? 'reported'
    returning j.id, j.name, j.retry_count`,
};

/** Without it, such a job would end without a word: no handler of it was there to say so. */
export function startLostJobWatch(pool: Pool, logger: Logger): LostJobWatch {
  const stopping = new AbortController();
  const look = async (): Promise<void> => {
    const { rows } = await pool.query<{ id: string; name: string; retry_count: number }>(reportLost);
    for (const { id, name, retry_count: retries } of rows)
      logger.error({ queue: name, job_id: id, attempt: retries + 1, action: 'lost' }, 'job.given_up');
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await look().catch((error: unknown) => logger.warn({ error }, 'jobs.probe_failed'));
      await wait(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
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
