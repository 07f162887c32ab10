import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import type { Logger } from '../logging.ts';
import { wakeChannel, wakeTopics, type WakeTopic } from './wake-sender.ts';

export interface WakeListener {
  /** Until the topic is woken, or the time has passed. A wake-up since the last wait counts. Each topic has one waiter. */
  until(topic: WakeTopic, withinMs: number, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** For what describes the api without serving it. */
export const noWakeListener: WakeListener = {
  until: async (_topic, withinMs, signal) => wait(withinMs, undefined, { signal }).catch(() => undefined),
  stop: async () => undefined,
};

const connectTimeoutMs = 2_000;
const reconnectAfterMs = 2_000;

interface Alarm {
  isWoken: boolean;
  ring: () => void;
}

const newAlarm = (): Alarm => ({ isWoken: false, ring: () => undefined });

interface ListenerOptions {
  url: string;
  applicationName: string;
  logger: Logger;
}

/**
 * Listens on a connection of its own, because one of the pool would be given to others. While it is away, processes find their
 * work by polling, as they do where a notification is lost.
 */
export function startWakeListener({ url, applicationName, logger }: ListenerOptions): WakeListener {
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
      application_name: applicationName,
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
      // What was sent before that was not heard.
      for (const topic of wakeTopics) wake(topic);
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
