import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { call, createPayout, getPayout, payoutBody, type ApiAnswer, type Client } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();
const client = { url: world.api.url, key: world.partner.key };

async function setBank(answers: string, times?: number, by: Client = client): Promise<ApiAnswer> {
  return call(by, '/v1/sandbox/bank', { method: 'POST', body: { answers, ...(times === undefined ? {} : { times }) } });
}

async function completes(id: string): Promise<void> {
  await eventually('it is completed', async () => (await getPayout(client, id)).payout === 'completed');
}

test('a lost answer leaves a payout pending until it is found, and it is paid once', async () => {
  assert.deepEqual((await setBank('lost')).json, { object: 'sandbox_bank', answers: 'lost', times: 1 });
  const { status, payout, id } = await createPayout(client);
  assert.deepEqual([status, payout], [201, 'pending']);
  await completes(id);
  assert.equal((await createPayout(client)).payout, 'processing');
});

test('a slow answer comes late, and is the true one', async () => {
  await setBank('slow');
  const startedAt = performance.now();
  const { status, payout } = await createPayout(client);
  const tookMs = performance.now() - startedAt;
  assert.deepEqual([status, payout], [201, 'processing']);
  assert(tookMs >= 3_900 && tookMs < 8_000, `${tookMs} ms`);
});

for (const [answers, reason] of [
  ['refused', 'bank_refused'],
  ['unavailable', 'bank_unreachable'],
] as const)
  test(`a bank that is ${answers} creates nothing, and the same key works afterwards`, async () => {
    await setBank(answers, 2);
    const key = `order-${answers}`;
    const before = textAt((await call(client, '/v1/balance')).json, 'usdc');
    for (let times = 0; times < 2; times += 1) {
      const refused = await createPayout(client, payoutBody(), key);
      assert.deepEqual([refused.status, refused.code], [502, 'payout_not_created']);
      assert.equal(valueAt(refused.json, 'error.details.reason'), reason);
    }
    assert.equal(textAt((await call(client, '/v1/balance')).json, 'usdc'), before);
    const { status, id } = await createPayout(client, payoutBody(), key);
    assert.equal(status, 201);
    await completes(id);
  });

test('normal clears what was set, and a later call replaces an earlier one', async () => {
  await setBank('unavailable', 100);
  assert.deepEqual((await setBank('normal')).json, { object: 'sandbox_bank', answers: 'normal', times: 0 });
  assert.equal((await createPayout(client)).status, 201);
  await setBank('unavailable', 100);
  await setBank('refused', 1);
  assert.equal(valueAt((await createPayout(client)).json, 'error.details.reason'), 'bank_refused');
  assert.equal((await createPayout(client)).status, 201);
});

test('processes that send at the same time count each answer once', async () => {
  const other = await world.addApi();
  await setBank('unavailable', 10);
  const made = await Promise.all(
    Array.from({ length: 30 }, async (_, at) =>
      createPayout({ ...client, url: at % 2 === 0 ? client.url : other.url }, payoutBody({ reference: `Order ${at}` })),
    ),
  );
  assert.equal(made.filter(({ status }) => status === 502).length, 10);
  assert.equal(made.filter(({ status }) => status === 201).length, 20);
});

test('another partner gets the true answers, and no alarm is logged', async () => {
  const other = { url: client.url, key: (await world.addPartner()).key };
  await setBank('refused', 5);
  const [own, others] = await Promise.all([createPayout(client), createPayout(other)]);
  assert.deepEqual([own.status, others.status], [502, 201]);
  await setBank('normal');
  const said = world.processes.map((child) => child.output()).join('\n');
  assert.doesNotMatch(said, /"level":"error"|"level":50|refused_by_bank|circuit_opened/);
});

test('what is not an answer, or too often, is 422', async () => {
  for (const body of [{ answers: 'broken' }, { answers: 'lost', times: 0 }, { answers: 'lost', times: 101 }, {}]) {
    const { status, code } = await call(client, '/v1/sandbox/bank', { method: 'POST', body });
    assert.deepEqual([status, code], [422, 'invalid_request'], JSON.stringify(body));
  }
});

test('the books and the bank agree after all of it', async () => {
  await untilQuiet(world.database);
  await assertAllHolds({ ...world, acknowledged: [] });
});
