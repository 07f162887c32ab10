import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { textAt } from '@kelpie/dev/json.ts';
import { Pool } from 'undici';
import { payoutBody } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { addKey } from '../harness/partners.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

/** Lower than usual, so that the machine of a test carries ten times as much: it is the limit that must hold, not the machine. */
const limits = {
  KELPIE_REQUESTS_PER_SECOND: '40',
  KELPIE_REQUESTS_BURST: '80',
  KELPIE_PAYOUTS_PER_SECOND: '10',
  KELPIE_PAYOUTS_BURST: '40',
};
/** `npm run overload`: nothing else runs on the machine, so times can be judged. */
const isAlone = process.env['RUNS_ALONE'] === 'yes';
const calmPerSecond = 32;
const floodPerSecond = 400;
const roundSeconds = 2;
const rounds = 5;
const world = await startWorld({ env: limits });
const connections = new Pool(world.api.url, { connections: 64, headersTimeout: 30_000, bodyTimeout: 30_000 });
after(async () => connections.close());

interface Answer {
  what: 'read' | 'create';
  status: number;
  tookMs: number;
  text: string;
}

const body = JSON.stringify(payoutBody());

async function ask(what: Answer['what'], key: string): Promise<Answer> {
  const authorization = `Bearer ${key}`;
  const begun = performance.now();
  const { statusCode: status, body: answer } = await (what === 'read'
    ? connections.request({ path: '/v1/payouts?limit=1', method: 'GET', headers: { authorization } })
    : connections.request({
        path: '/v1/payouts',
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
        body,
      }));
  const text = await answer.text();
  return { what, status, tookMs: performance.now() - begun, text };
}

/** A key of its own begins with full buckets, whatever the round before has left. */
async function newKey(): Promise<string> {
  const { key } = await addKey(world.database, world.partner);
  return key;
}

/**
 * One whose burst is spent, by requests that cost a token of both limits and no more work: a burst is allowed to be fast,
 * and a machine is allowed to need a moment for it. What is asked here is what a flood does for as long as it lasts.
 */
async function newSpentKey(): Promise<string> {
  const key = await newKey();
  const headers = { authorization: `Bearer ${key}` };
  const spend = async (): Promise<number> => {
    const { statusCode, body: answer } = await connections.request({ path: '/v1/payouts', method: 'POST', headers });
    await answer.dump();
    return statusCode;
  };
  const statuses = await Promise.all(Array.from({ length: 160 }, spend));
  assert.deepEqual(new Set(statuses), new Set([400, 429]));
  return key;
}

/**
 * So many requests a second, whether the earlier ones are answered or not; every fourth makes a payout, which is the share
 * of both limits.
 */
async function load(key: string, perSecond: number, seconds: number): Promise<Answer[]> {
  const begun = performance.now();
  const asked: Promise<Answer>[] = [];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const passed = Math.min((performance.now() - begun) / 1_000, seconds);
      while (asked.length < passed * perSecond) asked.push(ask(asked.length % 4 === 3 ? 'create' : 'read', key));
      if (passed < seconds) return;
      clearInterval(timer);
      resolve();
    }, 2);
  });
  return Promise.all(asked);
}

/** Of those that were let in. */
function p99(answers: readonly Answer[], what: Answer['what']): number {
  const times = answers.filter((one) => one.what === what && one.status < 300).map(({ tookMs }) => tookMs);
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/**
 * Client, api, bank and database share the machine, with whatever else runs on it: where that is busy, the slowest answer
 * of a round waits for a processor, not for other callers, and comes by chance in the one round or in the other. So five
 * rounds are compared by their median, and within this time an answer is no finding. Without limits it takes many times as
 * long, since everything waits for everything.
 */
const floorMs = { read: 100, create: 250 };

test('faults 41: at ten times its limit a key gets 429 for what is beyond, and what is let in does not wait for the rest', async (context) => {
  await load(await newKey(), calmPerSecond, 1);
  const calm: Answer[][] = [];
  const flooded: Answer[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    calm.push(await load(await newKey(), calmPerSecond, roundSeconds));
    flooded.push(await load(await newSpentKey(), floodPerSecond, roundSeconds));
  }
  const wrong = [...calm, ...flooded].flat().filter(({ status }) => ![200, 201, 429].includes(status));
  assert.deepEqual(wrong, []);
  assert(
    calm.flat().every(({ status }) => status < 300),
    'a calm key was refused',
  );
  for (const answers of flooded) {
    const refused = answers.filter(({ status }) => status === 429);
    assert(refused.length > answers.length / 2, `${refused.length} of ${answers.length} were refused`);
    assert(refused.every(({ text }) => text.includes('"rate_limited"')));
  }
  for (const what of ['read', 'create'] as const) {
    // Each flood is compared with the calm right before it, since what else the machine does changes from round to round.
    const times = calm.map((answers, at) => ({ before: p99(answers, what), under: p99(flooded[at] ?? [], what) }));
    const slower = median(times.map(({ before, under }) => under / before));
    const under = median(times.map((one) => one.under));
    const said = `${what}: ${times.map((one) => `p99 ${one.before.toFixed(1)} → ${one.under.toFixed(1)} ms`).join(', ')}`;
    context.diagnostic(said);
    // With other tests beside it, what is slow may be slow for their sake.
    if (isAlone) assert(slower <= 2 || under <= floorMs[what], said);
  }
  const acknowledged = [...calm, ...flooded]
    .flat()
    .filter(({ status }) => status === 201)
    .map(({ text }) => textAt(JSON.parse(text), 'id'));
  await untilQuiet(world.database);
  await assertAllHolds({ ...world, acknowledged });
});
