import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from '../database/pool.ts';
import type { Logger } from '../logging.ts';
import type { WakeListener } from '../wake-ups/wake-listener.ts';

/** A queue with more jobs than workers is not asked about more often than this. */
const everyMs = 250;
/** Without a wake-up, a job begins within this time of its commit. */
const longestSleepMs = 1_000;

export interface QueueProbe {
  stop(): Promise<void>;
}

interface QueueProbeDeps {
  pool: Pool;
  logger: Logger;
  wakeUps: WakeListener;
  queues: readonly string[];
  /** It has a job that can begin now. */
  onWaiting: (queue: string) => void;
  /** A worker has not said for too long that it is alive, and holds a job of it. */
  onLost: (queue: string) => Promise<void>;
  /** Called each time that it could ask. */
  onRound: () => void;
}

interface ProbedQueue {
  queue: string;
  is_waiting: boolean;
  is_lost: boolean;
  begins_in_ms: number | null;
}

/** `not blocked` is what the engine's index on waiting jobs says. Jobs that ended are kept for days, and not read. */
const probeQueues = {
  name: 'probe_queues',
  text: `select q.queue, p.is_waiting, p.is_lost, p.begins_in_ms
    from unnest($1::text[]) as q (queue)
    cross join lateral (
      select exists (
          select from pgboss.job j where j.name = q.queue and j.state < 'active' and not j.blocked and j.start_after <= now()
        ) as is_waiting,
        exists (
          select from pgboss.job j where j.name = q.queue and j.state = 'active'
            and j.heartbeat_on + j.heartbeat_seconds * interval '1 second' < now()
        ) as is_lost,
        (
          select (extract(epoch from min(j.start_after) - now()) * 1000)::float8
          from pgboss.job j where j.name = q.queue and j.state < 'active' and not j.blocked
        ) as begins_in_ms
    ) p
    where p.is_lost or p.begins_in_ms is not null`,
};

/**
 * Asks in one query which queues have a job that can begin now, and which lost the worker of one. The engine would ask for each
 * queue by itself, several times a second: an idle worker spent most of its time on that.
 */
export function startQueueProbe({ pool, logger, wakeUps, queues, ...deps }: QueueProbeDeps): QueueProbe {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Returns how long no job can begin, as far as it is known now. */
  const probe = async (): Promise<number> => {
    const { rows } = await pool.query<ProbedQueue>({ ...probeQueues, values: [queues] });
    for (const { queue } of rows.filter(({ is_waiting: isWaiting }) => isWaiting)) deps.onWaiting(queue);
    for (const { queue } of rows.filter(({ is_lost: isLost }) => isLost)) await deps.onLost(queue);
    deps.onRound();
    const pauses = rows.flatMap(({ begins_in_ms: pauseMs }) => (pauseMs === null ? [] : [pauseMs]));
    return Math.max(0, Math.min(longestSleepMs, ...pauses) - everyMs);
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const pauseMs = await probe().catch((error: unknown) => {
        logger.warn({ error }, 'jobs.probe_failed');
        return longestSleepMs;
      });
      await wait(everyMs, undefined, { signal }).catch(() => undefined);
      await wakeUps.until('jobs', pauseMs, signal);
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
