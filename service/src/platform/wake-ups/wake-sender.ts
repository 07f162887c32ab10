import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from '../database/pool.ts';
import type { Logger } from '../logging.ts';

/** What workers sleep for. What is numbered wakes those that deliver it, and processes with callers that wait for a change. */
export const wakeTopics = ['jobs', 'payouts', 'events', 'numbered'] as const;
export type WakeTopic = (typeof wakeTopics)[number];

/** Tells sleeping processes that there is news. One that is not told finds it with its next poll, within a second or two. */
export interface WakeSender {
  /** Call it after the commit that made the work. It never fails and never waits. */
  wake(topic: WakeTopic): void;
  stop(): Promise<void>;
}

/** For commands and tests: what they make is found by the next poll. */
export const noWakeSender: WakeSender = { wake: () => undefined, stop: async () => undefined };

export const wakeChannel = 'kelpie_wake';

/**
 * The shortest time between two notifications about a topic that leave a process, however many commits it makes. Callers wait
 * for events, so these are the fastest. A worker that looked for jobs and payouts as often would find little more each time.
 */
const pausesMs: Readonly<Record<WakeTopic, number>> = { jobs: 200, payouts: 200, events: 50, numbered: 50 };

/**
 * A transaction that notifies holds a lock that all of them share until its commit is confirmed. So this is one of its own, which waits
 * for neither disk nor standby; a commit of money never notifies.
 */
const notify = {
  name: 'notify',
  text: `select set_config('synchronous_commit', 'off', true), pg_notify('${wakeChannel}', $1)`,
};

export function createWakeSender(pool: Pool, logger: Logger): WakeSender {
  const waiting = new Set<WakeTopic>();
  const sending = new Map<WakeTopic, Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const send = async (topic: WakeTopic): Promise<void> => {
    while (waiting.delete(topic) && !signal.aborted) {
      // Without a database that takes writes, nobody can do the work either.
      if (pool.writeGate.isOpen())
        await pool
          .query({ ...notify, values: [topic] })
          .catch((error: unknown) => logger.warn({ error }, 'wake_up.not_sent'));
      await wait(pausesMs[topic], undefined, { signal }).catch(() => undefined);
    }
    sending.delete(topic);
  };
  return {
    wake(topic) {
      if (signal.aborted) return;
      waiting.add(topic);
      if (!sending.has(topic)) sending.set(topic, send(topic));
    },
    async stop() {
      stopping.abort();
      await Promise.all(sending.values());
    },
  };
}
