import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { listAt, valueAt } from '@kelpie/dev/json.ts';
import { startWorld } from '../harness/world.ts';
import { bankOf, call, createPayout, getPayout, payoutBody, type ApiAnswer, type Client } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi } from '../harness/processes.ts';
import { untilQuiet } from '../harness/waits.ts';

const clock = createTestClock();
const database = await createTestDatabase();
const env = { KELPIE_TEST_CLOCK_FILE: clock.file };
const apis = [await startApi({ database, env }), await startApi({ database, env })] as const;

async function newClient(): Promise<Client> {
  const { key } = await createSimulatedPartner(database);
  return { url: apis[0].url, key };
}

function isSuspected({ json, text }: ApiAnswer): boolean {
  const suspected = valueAt(json, 'duplicate_suspected');
  assert(typeof suspected === 'boolean', text);
  return suspected;
}

/** Pays, and says whether it was suspected. */
async function pay(client: Client, body: unknown = payoutBody(), key = randomUUID()): Promise<boolean> {
  const answer = await createPayout(client, body, key);
  assert.equal(answer.status, 201, answer.text);
  return isSuspected(answer);
}

test('a second payout of the same amount to the same account is suspected, and is paid all the same', async () => {
  const client = await newClient();
  assert.equal(await pay(client), false);
  const key = randomUUID();
  const second = await createPayout(client, payoutBody(), key);
  assert.deepEqual([second.status, second.payout, isSuspected(second)], [201, 'processing', true]);
  const replayed = await createPayout(client, payoutBody(), key);
  assert.deepEqual([replayed.status, replayed.id, isSuspected(replayed)], [200, second.id, true]);
  assert.equal(isSuspected(await getPayout(client, second.id)), true);
  for (const path of ['/v1/payouts', '/v1/payouts?status=processing,completed']) {
    const listed = listAt((await call(client, path)).json, 'data');
    assert.deepEqual(
      listed.map((payout) => valueAt(payout, 'duplicate_suspected')),
      [true, false],
      path,
    );
  }
});

test('another amount, another account, another name and another partner are no duplicates', async () => {
  const client = await newClient();
  assert.equal(await pay(client), false);
  assert.equal(await pay(client, payoutBody({ amount_gbp: '1.01' })), false);
  assert.equal(await pay(client, payoutBody({}, bankOf('77315679'))), false);
  assert.equal(await pay(client, payoutBody({}, { first_name: 'Bea' })), false);
  assert.equal(await pay(await newClient()), false);
  assert.equal(await pay(client, payoutBody({ reference: 'Another order' })), true, 'whatever it is called');
});

test('a payout that failed is no reason to suspect the next', async () => {
  const client = await newClient();
  const body = payoutBody({}, bankOf('77310000'));
  assert.deepEqual([await pay(client, body), await pay(client, body)], [false, false]);
});

test('a day later the same payout is not suspected', async () => {
  const client = await newClient();
  assert.equal(await pay(client), false);
  clock.move(23 * 3_600_000);
  assert.equal(await pay(client), true);
  clock.move(24 * 3_600_000 + 60_000);
  assert.equal(await pay(client), false);
});

test('of equal payouts that arrive at once, at two processes, all but one are suspected', async () => {
  const client = await newClient();
  const suspected = await Promise.all(
    Array.from({ length: 40 }, async (_, at) => pay({ ...client, url: apis[at % 2 === 0 ? 0 : 1].url })),
  );
  assert.equal(suspected.filter((is) => !is).length, 1);
});

test('the answer of a payout that the bank has accepted says it too, and every penny is in the books', async () => {
  const world = await startWorld();
  const client = { url: world.api.url, key: world.partner.key };
  assert.deepEqual([await pay(client), await pay(client)], [false, true]);
  await untilQuiet(world.database);
  await assertAllHolds(world);
});
