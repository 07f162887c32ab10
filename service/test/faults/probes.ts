import { setTimeout as wait } from 'node:timers/promises';
import { textAt } from '@kelpie/dev/json.ts';

/** What a load balancer and a reader see of each api process, twice a second. */
export interface Probes {
  readings: readonly Reading[];
  stop(): Promise<void>;
}

const probed = ['readyz', 'healthz', 'read'] as const;

export interface Reading {
  what: (typeof probed)[number];
  /** As `performance.now()` has it. */
  startedAtMs: number;
  tookMs: number;
  /** 0 where nothing came. */
  status: number;
  text: string;
}

const everyMs = 500;
const patienceMs = 30_000;
const paths: Readonly<Record<Reading['what'], string>> = {
  readyz: '/readyz',
  healthz: '/healthz',
  read: '/v1/balance',
};

async function read(url: string, key: string): Promise<Pick<Reading, 'status' | 'text'>> {
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(patienceMs),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: '' };
  }
}

export function startProbes(urls: readonly string[], key: string): Probes {
  const stopping = new AbortController();
  const readings: Reading[] = [];
  const probe = async (url: string, what: Reading['what']): Promise<void> => {
    while (!stopping.signal.aborted) {
      const startedAtMs = performance.now();
      const { status, text } = await read(url + paths[what], key);
      const tookMs = performance.now() - startedAtMs;
      readings.push({ what, startedAtMs, tookMs, status, text });
      await wait(Math.max(0, everyMs - tookMs), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const probing = Promise.all(urls.flatMap((url) => probed.map(async (what) => probe(url, what))));
  return {
    readings,
    async stop() {
      stopping.abort();
      await probing;
    },
  };
}

/** A balance below zero that somebody was shown. */
export function negativeBalances(readings: readonly Reading[]): string[] {
  return readings
    .filter(({ what, status }) => what === 'read' && status === 200)
    .map(({ text }) => textAt(JSON.parse(text), 'usdc'))
    .filter((usdc) => usdc.startsWith('-'))
    .map((usdc) => `I4 a balance of ${usdc} USDC was shown`);
}
