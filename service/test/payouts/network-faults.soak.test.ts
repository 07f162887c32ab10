import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { valueAt } from '@kelpie/dev/json.ts';
import { startTcpProxy, type TcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { call, createPayout, getPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { atSize } from '../harness/sizes.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// What the network before the bank can do to a payout. Each closes with all invariants, judged by the bank's own record.

const proxies: TcpProxy[] = [];
const world = await startWorld({
  async bankUrlFor(bank) {
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: bank.port });
    proxies.push(proxy);
    return `http://127.0.0.1:${proxy.port}/v0`;
  },
});
after(async () => Promise.all(proxies.map(async (proxy) => proxy.close())));
const client = { url: world.api.url, key: world.partner.key };

function network(): TcpProxy {
  const proxy = proxies.at(-1);
  assert(proxy !== undefined);
  return proxy;
}

/** After five failures in a row the bank is left alone for five seconds: until then nobody is asked. */
async function bankAnswers(): Promise<void> {
  network().setFault({ kind: 'none' });
  await eventually('the bank is asked again', async () => (await createPayout(client)).payout === 'processing', 60_000);
}

async function allHolds(answers: readonly ApiAnswer[]): Promise<void> {
  await untilQuiet(world.database, { timeoutMs: 60_000 });
  await assertAllHolds({ ...world, acknowledged: answers.map(({ id }) => id) });
}

test('faults 16: an order that never reached the bank is pending, and then paid once', async () => {
  await bankAnswers();
  network().setFault({ kind: 'drop', towards: 'server' });
  const lost = await createPayout(client);
  assert.deepEqual([lost.status, lost.payout], [201, 'pending']);
  network().cut();
  await bankAnswers();
  await allHolds([lost]);
  assert.equal((await getPayout(client, lost.id)).payout, 'completed');
});

/** A few at a time. A bank that answers again is given more calls with each answer. */
async function askAgain(keys: readonly string[]): Promise<ApiAnswer[]> {
  const left = [...keys];
  const answers: ApiAnswer[] = [];
  const lane = async (): Promise<void> => {
    for (let key = left.pop(); key !== undefined; key = left.pop()) {
      const again = key;
      const answer = await eventually('the same key is answered', async () => {
        const { status, ...more } = await createPayout(client, payoutBody(), again);
        return (status === 200 || status === 201) && { status, ...more };
      });
      answers.push(answer);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return answers;
}

const lostAnswers = atSize(1_000);
test(`faults 17: of ${lostAnswers} payouts that the bank accepted and whose answer was lost, none is paid twice and none is lost`, async () => {
  const pending: ApiAnswer[] = [];
  const reported: ApiAnswer[] = [];
  for (let round = 0; pending.length < lostAnswers; round += 1) {
    assert(round < 20, `only ${pending.length} answers were lost`);
    await bankAnswers();
    network().setFault({ kind: 'drop', towards: 'client' });
    const keys = Array.from({ length: 200 }, () => randomUUID());
    const answers = await Promise.all(keys.map(async (key) => createPayout(client, payoutBody(), key)));
    network().cut();
    assert(answers.every(({ status }) => [201, 409, 502, 503].includes(status)));
    pending.push(...answers.filter(({ payout }) => payout === 'pending'));
    await bankAnswers();
    // Who came after the breaker had opened, or was too many, was told to ask again.
    reported.push(...(await askAgain(keys.filter((_, at) => answers[at]?.payout !== 'pending'))));
  }
  await allHolds([...pending, ...reported]);
});

test('faults 18: a bank that can not be reached is 502 with the funds back, and the same key then pays', async () => {
  await untilQuiet(world.database);
  await call(client, '/v1/balance');
  const { port } = network();
  const before = await call(client, '/v1/balance');
  await network().close();
  const key = randomUUID();
  const refused = await createPayout(client, payoutBody(), key);
  assert.deepEqual(
    [refused.status, refused.code, valueAt(refused.json, 'error.details.reason')],
    [502, 'payout_not_created', 'bank_unreachable'],
  );
  assert.deepEqual((await call(client, '/v1/balance')).json, before.json);
  assert.equal((await createPayout(client, payoutBody({ amount_gbp: '2.00' }), key)).code, 'idempotency_key_reused');
  proxies.push(await startTcpProxy({ host: '127.0.0.1', port: world.bank.port }, port));
  await bankAnswers();
  const made = await createPayout(client, payoutBody(), key);
  assert.equal(made.status, 201, made.text);
  await allHolds([made]);
});

test('faults 21: while the bank is slow, reads are not, and soon nobody waits for it any more', async () => {
  const known = await createPayout(client);
  network().setFault({ kind: 'delay', delayMs: 60_000 });
  const slow = Promise.all(Array.from({ length: 6 }, async () => createPayout(client)));
  let slowestReadMs = 0;
  for (let reads = 0; reads < 200; reads += 1) {
    const startedAt = performance.now();
    assert.equal((await getPayout(client, known.id)).status, 200);
    slowestReadMs = Math.max(slowestReadMs, performance.now() - startedAt);
  }
  assert(slowestReadMs < 1_000, `a read took ${slowestReadMs} ms`);
  const answers = await slow;
  assert(answers.every(({ payout }) => payout === 'pending'));
  // Every five seconds one is let through to see whether the bank is back; that one waits, and all others don't.
  await eventually('nobody waits any more', async () => {
    const startedAt = performance.now();
    const made = await createPayout(client);
    if (made.status === 201) answers.push(made);
    return made.status === 502 && performance.now() - startedAt < 1_000;
  });
  network().cut();
  await bankAnswers();
  await allHolds([known, ...answers]);
});
