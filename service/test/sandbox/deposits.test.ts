import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { openRounds, untilFunded } from '../funding/topping-up.ts';
import { call, type ApiAnswer } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();
const client = { url: world.api.url, key: world.partner.key };
const round = await openRounds(world.database);

async function add(body: object): Promise<ApiAnswer> {
  return call(client, '/v1/sandbox/deposits', { method: 'POST', body });
}

async function usdc(): Promise<number> {
  return Number(textAt((await call(client, '/v1/balance')).json, 'usdc'));
}

test('before the bank has opened an account for top-ups, test money is 409', async () => {
  const { status, code } = await add({ amount_gbp: '100.00' });
  assert.deepEqual([status, code], [409, 'sandbox_control_unavailable']);
  await round('open-funding');
  await untilFunded(world.database, world.partner);
});

for (const [body, method, net] of [
  [{ amount_gbp: '800.00' }, 'bank_transfer', '997.50'],
  [{ amount_usdc: '500.00' }, 'usdc', '499.99'],
] as const)
  test(`test money of ${JSON.stringify(body)} is credited when it is answered, and listed as answered`, async () => {
    const before = await usdc();
    const { status, json, id, text } = await add(body);
    assert.deepEqual(
      [status, valueAt(json, 'status'), valueAt(json, 'method'), valueAt(json, 'amount_usdc')],
      [201, 'credited', method, net],
      text,
    );
    assert.equal(((await usdc()) - before).toFixed(2), net);
    const listed = listAt((await call(client, '/v1/deposits')).json, 'data').find((one) => textAt(one, 'id') === id);
    assert.deepEqual(json, listed);
  });

test('an amount that is missing, given twice or out of range is 422', async () => {
  for (const body of [
    {},
    { amount_gbp: '1.00', amount_usdc: '1.00' },
    { amount_gbp: '0.99' },
    { amount_usdc: '100000.01' },
    { amount_gbp: '5' },
  ]) {
    const { status, code } = await add(body);
    assert.deepEqual([status, code], [422, 'invalid_request'], JSON.stringify(body));
  }
});

test('test money that is asked for at the same time is credited once each', async () => {
  const before = await usdc();
  const all = await Promise.all(Array.from({ length: 5 }, async () => add({ amount_usdc: '10.01' })));
  assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(all.map(({ id }) => id)).size, 5);
  assert.equal(((await usdc()) - before).toFixed(2), '50.00');
});

test('the books and the bank agree after all of it', async () => {
  await assertAllHolds({ ...world, acknowledged: [] });
});
