import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import type { Logger } from '../logging.ts';
import { wakeChannel, wakeTopics, type WakeTopic } from './wake-sender.ts';

export interface WakeListener {
  /** Until the topic is woken, or the time has passed. A wake-up since the last wait counts. Each topic has one waiter. */
  until(topic: WakeTopic, withinMs: number, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

const connectTimeoutMs = 2_000;
const reconnectAfterMs = 2_000;

interface Alarm {
  isWoken: boolean;
  ring: () => void;
}

const newAlarm = (): Alarm => ({ isWoken: false, ring: () => undefined });

/**
 * Listens on a connection of its own, because one of the pool would be given to others. While it is away, workers find their work
 * by polling, as they do where a notification is lost.
 */
export function startWakeListener({ url, logger }: { url: string; logger: Logger }): WakeListener {
  const alarms: Readonly<Record<WakeTopic, Alarm>> = {
    jobs: newAlarm(),
    payouts: newAlarm(),
    events: newAlarm(),
    numbered: newAlarm(),
  };
  const stopping = new AbortController();
  let client: Client | null = null;
  const wake = (topic: WakeTopic): void => {
    alarms[topic].isWoken = true;
    alarms[topic].ring();
  };
  /** Returns once the connection has ended. */
  const listen = async (): Promise<void> => {
    const opened = new Client({
      connectionString: url,
      application_name: 'kelpie-worker-wake-ups',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: connectTimeoutMs,
      keepAlive: true,
    });
    const ended = new Promise<void>((resolve) => {
      opened.on('end', resolve);
      opened.on('error', () => resolve());
    });
    opened.on('notification', ({ payload }) => {
      const topic = wakeTopics.find((one) => one === payload);
      if (topic !== undefined) wake(topic);
    });
    client = opened;
    try {
      await opened.connect();
      await opened.query(`listen ${wakeChannel}`);
      await ended;
    } finally {
      client = null;
      await opened.end().catch(() => undefined);
    }
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await listen().catch((error: unknown) => logger.warn({ error }, 'wake_up.not_heard'));
      await wait(reconnectAfterMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const done = run();
  return {
    async until(topic, withinMs, signal) {
      const alarm = alarms[topic];
      if (!alarm.isWoken && withinMs > 0) {
        const woken = new AbortController();
        alarm.ring = () => woken.abort();
        await wait(withinMs, undefined, { signal: AbortSignal.any([woken.signal, signal]) }).catch(() => undefined);
        alarm.ring = () => undefined;
      }
      alarm.isWoken = false;
    },
    async stop() {
      stopping.abort();
      await client?.end().catch(() => undefined);
      await done;
    },
  };
}
