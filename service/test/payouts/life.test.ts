import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { valueAt } from '@kelpie/dev/json.ts';
import { bankOf, call, createPayout, getPayout, payoutBody } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();
const client = { url: world.api.url, key: world.partner.key };

async function settled(id: string, status = 'completed'): Promise<void> {
  await eventually(`${id} is ${status}`, async () => (await getPayout(client, id)).payout === status);
}

test('a payout is created, processed and completed, and every penny of it is in the books', async () => {
  const key = randomUUID();
  const created = await createPayout(client, payoutBody({ amount_gbp: '100.00' }), key);
  assert.equal(created.status, 201, created.text);
  assert.equal(created.payout, 'processing');
  assert.equal(valueAt(created.json, 'quote.fee_gbp'), '1.99');
  assert.equal(valueAt(created.json, 'wallet_sent_usdc'), '127.85');
  assert.deepEqual(valueAt(created.json, 'recipient'), { name: 'Ada Canaryname', account_last4: '5678' });
  await settled(created.id);
  const replay = await createPayout(client, payoutBody({ amount_gbp: '100.00' }), key);
  assert.equal(replay.status, 200);
  assert.equal(replay.headers.get('idempotent-replayed'), 'true');
  assert.equal(replay.id, created.id);
  assert.equal(valueAt(replay.json, 'quote'), undefined);
  const list = await call(client, '/v1/payouts?limit=1');
  assert.equal(valueAt(list.json, 'data.0.id'), created.id);
  await assertAllHolds({ ...world, acknowledged: [created.id] });
});

test('an account that ends in 0000 fails in the sandbox, and its money is back', async () => {
  const before = await call(client, '/v1/balance');
  const failed = await createPayout(client, payoutBody({}, bankOf('12340000')));
  assert.equal(failed.status, 201, failed.text);
  assert.equal(failed.payout, 'failed');
  assert.equal(valueAt(failed.json, 'failure_code'), 'bank_rejected_details');
  assert.deepEqual((await call(client, '/v1/balance')).json, before.json);
  await assertAllHolds({ ...world, acknowledged: [failed.id] });
});

test('on the simulated rail one commit does it all', async () => {
  const partner = await createSimulatedPartner(world.database);
  const own = { url: world.api.url, key: partner.key };
  const made = await createPayout(own);
  assert.equal(made.status, 201, made.text);
  assert.equal(made.payout, 'processing');
  const failed = await createPayout(own, payoutBody({}, bankOf('12340000')));
  assert.equal(failed.payout, 'failed');
  await eventually('it arrives', async () => (await getPayout(own, made.id)).payout === 'completed');
  await assertAllHolds({ ...world, acknowledged: [made.id, failed.id] });
});
