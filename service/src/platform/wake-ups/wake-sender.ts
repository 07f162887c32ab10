import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from '../database/pool.ts';
import type { Logger } from '../logging.ts';

/** What workers sleep for. */
export const wakeTopics = ['jobs', 'payouts', 'events', 'numbered'] as const;
export type WakeTopic = (typeof wakeTopics)[number];

/** Tells sleeping workers that there is work. One that is not told finds it with its next poll, within a second. */
export interface WakeSender {
  /** Call it after the commit that made the work. It never fails and never waits. */
  wake(topic: WakeTopic): void;
  stop(): Promise<void>;
}

/** For commands and tests: what they make is found by the next poll. */
export const noWakeSender: WakeSender = { wake: () => undefined, stop: async () => undefined };

export const wakeChannel = 'kelpie_wake';

/** At most five notifications a second leave a process, however many commits it makes. */
const pauseMs = 200;

/**
 * A transaction that notifies holds a lock that all of them share until its commit is confirmed. So this is one of its own, which waits
 * for neither disk nor standby; a commit of money never notifies.
 */
const notifyWorkers = {
  name: 'notify_workers',
  text: `select set_config('synchronous_commit', 'off', true), pg_notify('${wakeChannel}', topic)
    from unnest($1::text[]) as topic`,
};

export function createWakeSender(pool: Pool, logger: Logger): WakeSender {
  const waiting = new Set<WakeTopic>();
  const stopping = new AbortController();
  let sending: Promise<void> | null = null;
  const sendAll = async (): Promise<void> => {
    while (waiting.size > 0 && !stopping.signal.aborted) {
      const topics = [...waiting];
      waiting.clear();
      // Without a database that takes writes, nobody can do the work either.
      if (pool.writeGate.isOpen())
        await pool
          .query({ ...notifyWorkers, values: [topics] })
          .catch((error: unknown) => logger.warn({ error }, 'wake_up.not_sent'));
      await wait(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    sending = null;
  };
  return {
    wake(topic) {
      if (stopping.signal.aborted) return;
      waiting.add(topic);
      sending ??= sendAll();
    },
    async stop() {
      stopping.abort();
      await sending;
    },
  };
}
