import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { call, cancelPayout, createPayout, getPayout, type ApiAnswer } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// The bank does nothing by itself within a test: whatever a payout becomes, a step made it so.
const world = await startWorld({ settleAfterMs: 600_000 });
const client = { url: world.api.url, key: world.partner.key };

async function step(id: string, name: string, body?: object, by = client): Promise<ApiAnswer> {
  return call(by, `/v1/sandbox/payouts/${id}/${name}`, { method: 'POST', body });
}

async function newPayout(): Promise<string> {
  const { id, status, payout, text } = await createPayout(client);
  assert.deepEqual([status, payout], [201, 'processing'], text);
  return id;
}

async function usdc(): Promise<string> {
  return textAt((await call(client, '/v1/balance')).json, 'usdc');
}

/** A payout whose order the bank has, and whose answer we did not get. */
async function pendingPayout(): Promise<string> {
  await world.bank.control('/webhooks', { mode: 'lose' });
  await call(client, '/v1/sandbox/bank', { method: 'POST', body: { answers: 'lost', times: 100 } });
  const { id, payout } = await createPayout(client);
  assert.equal(payout, 'pending');
  return id;
}

async function answerNormally(): Promise<void> {
  await call(client, '/v1/sandbox/bank', { method: 'POST', body: { answers: 'normal' } });
  await world.bank.control('/webhooks', { mode: 'normal' });
}

test('advance completes a payout that is on its way, and the answer shows it', async () => {
  const { status, payout, text } = await step(await newPayout(), 'advance');
  assert.deepEqual([status, payout], [200, 'completed'], text);
});

test('advance confirms a payout whose outcome is unknown, and then completes it', async () => {
  const id = await pendingPayout();
  assert.equal((await step(id, 'advance')).payout, 'processing');
  assert.equal((await step(id, 'advance')).payout, 'completed');
  await answerNormally();
});

for (const failureCode of [
  'account_not_found',
  'account_closed',
  'account_blocked',
  'name_mismatch',
  'regulatory',
  'bank_rejected_details',
  'unknown',
])
  test(`fail makes a payout failed with ${failureCode}, and its money is back at once`, async () => {
    const before = await usdc();
    const { status, payout, json, text } = await step(await newPayout(), 'fail', { failure_code: failureCode });
    assert.deepEqual([status, payout, valueAt(json, 'failure_code')], [200, 'failed', failureCode], text);
    assert.equal(await usdc(), before);
  });

test('return makes a payout returned with any failure code, and one on its way completes first', async () => {
  for (const failureCode of ['recalled', 'recipient_declined', 'account_closed', 'unknown']) {
    const id = await newPayout();
    const { status, payout, json, text } = await step(id, 'return', { failure_code: failureCode });
    assert.deepEqual([status, payout, valueAt(json, 'failure_code')], [200, 'returned', failureCode], text);
    const history = await call(client, `/v1/payouts/${id}/history`);
    const steps = valueAt(history.json, 'steps');
    assert(Array.isArray(steps));
    assert.deepEqual(
      steps.map((one: unknown) => valueAt(one, 'status')),
      ['processing', 'completed', 'returned'],
    );
  }
});

test('without a body, a payout fails as not found and is returned as closed', async () => {
  const failed = await step(await newPayout(), 'fail');
  assert.equal(valueAt(failed.json, 'failure_code'), 'account_not_found');
  const returned = await step(await newPayout(), 'return');
  assert.equal(valueAt(returned.json, 'failure_code'), 'account_closed');
});

test('a held payout stays processing; it can be cancelled, failed or advanced', async () => {
  const [first, second, third] = [await newPayout(), await newPayout(), await newPayout()];
  for (const id of [first, second, third]) assert.equal((await step(id, 'hold')).payout, 'processing');
  assert.equal((await step(first, 'hold')).status, 200);
  assert.equal((await cancelPayout(client, first)).payout, 'cancelled');
  assert.equal((await step(second, 'fail')).payout, 'failed');
  assert.equal((await step(third, 'advance')).payout, 'completed');
});

test('fail and hold also work on a payout whose outcome is unknown', async () => {
  const [failing, held] = [await pendingPayout(), await pendingPayout()];
  assert.equal((await step(failing, 'fail')).payout, 'failed');
  assert.equal((await step(held, 'hold')).payout, 'processing');
  assert.equal((await cancelPayout(client, held)).payout, 'cancelled');
  await answerNormally();
});

test('a step that its status does not allow is 409, and says what would work', async () => {
  const completed = await newPayout();
  await step(completed, 'advance');
  const failed = await newPayout();
  await step(failed, 'fail');
  for (const [id, name, message] of [
    [completed, 'advance', /^A completed payout cannot advance\. Use return\.$/],
    [completed, 'fail', /^A completed payout cannot fail\. Use return\.$/],
    [completed, 'hold', /^A completed payout cannot be held\. Use return\.$/],
    [failed, 'return', /^A failed payout cannot be returned\. It is final/],
  ] as const) {
    const { status, code, json } = await step(id, name);
    assert.deepEqual([status, code], [409, 'sandbox_step_refused']);
    assert.match(textAt(json, 'error.message'), message);
  }
});

test("another partner's payout is not found, and neither is one that never was", async () => {
  const id = await newPayout();
  const other = { url: client.url, key: (await world.addPartner()).key };
  assert.equal((await step(id, 'fail', undefined, other)).code, 'not_found');
  assert.equal((await step('01a1e3b1-25c0-7c3a-9d2e-4f6b8a1c0e57', 'advance')).code, 'not_found');
  assert.equal((await getPayout(client, id)).payout, 'processing');
});

test('a payout without a bank can not be driven, and neither can the bank of an account without one', async () => {
  const simulated = { url: client.url, key: (await createSimulatedPartner(world.database)).key };
  const { id } = await createPayout(simulated);
  const answers = [
    await step(id, 'advance', undefined, simulated),
    await call(simulated, '/v1/sandbox/bank', { method: 'POST', body: { answers: 'lost' } }),
    await call(simulated, '/v1/sandbox/deposits', { method: 'POST', body: { amount_gbp: '5.00' } }),
  ];
  for (const { status, code } of answers) assert.deepEqual([status, code], [409, 'sandbox_control_unavailable']);
});

test("on a provider's own sandbox payouts can not be driven, and the bank's answers still can be set", async () => {
  const { url } = await world.addApi({ KELPIE_SANDBOX_BANK_CONTROL_URL: 'none' });
  const there = { url, key: client.key };
  const { id } = await createPayout(there);
  const refused = await step(id, 'advance', undefined, there);
  assert.deepEqual([refused.status, refused.code], [409, 'sandbox_control_unavailable']);
  assert.match(refused.text, /the provider's own sandbox/);
  const set = await call(there, '/v1/sandbox/bank', { method: 'POST', body: { answers: 'unavailable' } });
  assert.equal(set.status, 200);
  assert.equal((await createPayout(there)).code, 'payout_not_created');
});

test('with a live key, every sandbox request is 403 and changes nothing', async () => {
  const live = { url: client.url, key: (await world.addPartner('live')).key };
  const id = await newPayout();
  const requests: readonly [path: string, body?: object][] = [
    ...['advance', 'fail', 'return', 'hold'].map((name): [string] => [`/v1/sandbox/payouts/${id}/${name}`]),
    ['/v1/sandbox/deposits', { amount_gbp: '5.00' }],
    ['/v1/sandbox/bank', { answers: 'lost' }],
  ];
  for (const [path, body] of requests) {
    const { status, code } = await call(live, path, { method: 'POST', body });
    assert.deepEqual([status, code], [403, 'sandbox_only'], path);
  }
});

test('the books and the bank agree after all of it', async () => {
  await world.bank.control('/clock', { move_ms: 600_000 });
  await untilQuiet(world.database);
  await assertAllHolds({ ...world, acknowledged: [] });
});
