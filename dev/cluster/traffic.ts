// Light traffic on a running cluster, to see what a partner sees while a person breaks it.
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { valueAt } from '../json.ts';

interface TrafficOptions {
  apiUrls: readonly string[];
  key: string;
  seconds: number;
  say: (text: string) => void;
}

const perSecond = 5;
/** A partner tries again with the same key for about this long. */
const mostTries = 60;
const pauseMs = 1_000;

const body = JSON.stringify({
  amount_gbp: '1.00',
  reference: 'Cluster traffic',
  recipient: {
    first_name: 'Ada',
    last_name: 'Byron',
    address: { line1: '1 High Street', city: 'Leeds', postal_code: 'LS1 1AA' },
    bank: { bank_name: 'Example Bank', sort_code: '040004', account_number: '12345678' },
  },
});

interface Tally {
  acknowledgedAt: number[];
  answers: Map<string, number>;
  slowestMs: number;
  gaveUp: number;
}

async function send(url: string, key: string, idempotencyKey: string): Promise<{ status: number; kind: string }> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': idempotencyKey,
  };
  try {
    const response = await fetch(`${url}/v1/payouts`, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(30_000),
    });
    const json: unknown = await response.json();
    const code = valueAt(json, 'error.code');
    return { status: response.status, kind: `${response.status}${typeof code === 'string' ? ` ${code}` : ''}` };
  } catch (error) {
    return { status: 0, kind: error instanceof Error ? error.name : 'no answer' };
  }
}

async function pay({ apiUrls, key, say }: TrafficOptions, tally: Tally, number: number): Promise<void> {
  const idempotencyKey = randomUUID();
  for (let tries = 0; tries < mostTries; tries += 1) {
    const sentAt = performance.now();
    const { status, kind } = await send(apiUrls[(number + tries) % apiUrls.length] ?? '', key, idempotencyKey);
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - sentAt);
    if (!tally.answers.has(kind)) say(`First answer ${kind}.`);
    tally.answers.set(kind, (tally.answers.get(kind) ?? 0) + 1);
    if (status === 200 || status === 201) {
      const lastAt = tally.acknowledgedAt.at(-1);
      const now = performance.now();
      if (lastAt !== undefined && now - lastAt > pauseMs)
        say(`No payout was acknowledged for ${((now - lastAt) / 1_000).toFixed(1)} s.`);
      tally.acknowledgedAt.push(now);
      return;
    }
    await wait(pauseMs);
  }
  tally.gaveUp += 1;
}

function longestGapMs(times: readonly number[]): number {
  return Math.max(0, ...times.slice(1).map((time, at) => time - (times[at] ?? time)));
}

/** Returns what happened, in words. */
export async function sendTraffic(options: TrafficOptions): Promise<string> {
  const tally: Tally = { acknowledgedAt: [], answers: new Map(), slowestMs: 0, gaveUp: 0 };
  const startedAt = performance.now();
  const sent: Promise<void>[] = [];
  for (let number = 0; number < options.seconds * perSecond; number += 1) {
    await wait(Math.max(0, startedAt + (number * 1_000) / perSecond - performance.now()));
    sent.push(pay(options, tally, number));
  }
  await Promise.all(sent);
  const answers = Array.from(tally.answers, ([kind, count]) => `${count} × ${kind}`).join(', ');
  return `${sent.length} payouts, ${tally.acknowledgedAt.length} acknowledged, ${tally.gaveUp} given up. Answers: ${answers}.
Longest time without an acknowledgement: ${(longestGapMs(tally.acknowledgedAt) / 1_000).toFixed(1)} s. Slowest answer: ${(tally.slowestMs / 1_000).toFixed(1)} s.`;
}
