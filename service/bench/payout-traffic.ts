import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createPayout, payoutBody, type ApiAnswer, type Client } from '../test/harness/client.ts';

const perSecond = 20;
const mostTries = 3;

export interface Traffic {
  stop(): Promise<{ created: number; refused: Record<string, number>; longestMs: number }>;
}

/** An api that stops refuses connections. Its successor answers the same key, as callers by the SDK see it. */
async function createSurely(clientNow: () => Client): Promise<ApiAnswer> {
  const [body, key] = [payoutBody(), randomUUID()];
  for (let tries = 1; ; tries += 1)
    try {
      return await createPayout(clientNow(), body, key);
    } catch (error) {
      if (tries === mostTries) throw error;
    }
}

/** Payouts at an even rate, whether the one before was answered or not. */
export function startTraffic(clientNow: () => Client): Traffic {
  const over = new AbortController();
  let [created, longestMs] = [0, 0];
  const refused: Record<string, number> = {};
  const pay = async (): Promise<void> => {
    const startedAt = performance.now();
    const { status, code } = await createSurely(clientNow);
    longestMs = Math.max(longestMs, performance.now() - startedAt);
    if (status === 201 || status === 200) created += 1;
    else refused[code] = (refused[code] ?? 0) + 1;
  };
  const run = (async () => {
    const pending: Promise<void>[] = [];
    while (!over.signal.aborted) {
      pending.push(pay());
      await wait(1_000 / perSecond);
    }
    await Promise.all(pending);
  })();
  return {
    async stop() {
      over.abort();
      await run;
      return { created, refused, longestMs: Math.round(longestMs) };
    },
  };
}
