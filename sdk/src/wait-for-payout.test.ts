import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, order, payout } from '../test/examples.ts';
import { startStandInApi } from '../test/stand-in-api.ts';
import { createKelpie, KelpieError, KelpieUnreachable, KelpieWaitTimeout, type PayoutStatus } from './index.ts';

const api = await startStandInApi();
const kelpie = createKelpie({ apiKey, baseUrl: api.url });
const options = { idempotencyKey: 'order-42' };

/** The payout is created in the first status, and read in the others, the last for good. */
function answerStatuses(...statuses: PayoutStatus[]): void {
  let next = 0;
  api.answer(({ method }) => {
    const status = statuses[Math.min(next, statuses.length - 1)];
    next += 1;
    return { status: method === 'POST' ? 201 : 200, json: { ...payout, status } };
  });
}

test('a payout is created and followed until it arrived, or came to another end', async () => {
  answerStatuses('pending', 'processing', 'completed');
  assert.equal((await kelpie.payouts.createAndWait(order, options)).status, 'completed');
  assert.deepEqual(
    api.asked.map(({ method, path, query }) => [method, path, query]),
    [
      ['POST', '/v1/payouts', {}],
      ['GET', `/v1/payouts/${payout.id}`, { wait: '20' }],
      ['GET', `/v1/payouts/${payout.id}`, { wait: '20' }],
    ],
  );
  assert.equal(api.asked[0]?.headers['idempotency-key'], 'order-42');
  for (const end of ['failed', 'cancelled', 'returned'] as const) {
    answerStatuses('processing', end);
    assert.equal((await kelpie.payouts.createAndWait(order, options)).status, end);
  }
  answerStatuses('completed');
  assert.equal((await kelpie.payouts.createAndWait(order, options)).status, 'completed');
  assert.equal(api.asked.length, 1);
});

test('it is enough that the bank accepted it, where that was asked for, and the type says so', async () => {
  answerStatuses('pending', 'processing', 'completed');
  const accepted = await kelpie.payouts.createAndWait(order, { ...options, until: 'processing' });
  const status: 'processing' | 'completed' | 'failed' | 'cancelled' | 'returned' = accepted.status;
  assert.equal(status, 'processing');
  assert.equal(api.asked.length, 2);
});

test('at the deadline, an error holds the payout as it is, and asks no more', async () => {
  answerStatuses('processing');
  const startedAtMs = performance.now();
  const error: unknown = await kelpie.payouts
    .createAndWait(order, { ...options, deadlineMs: 1_500 })
    .catch((thrown: unknown) => thrown);
  assert(error instanceof KelpieWaitTimeout);
  assert.deepEqual([error.payout.id, error.payout.status], [payout.id, 'processing']);
  assert.match(error.message, /still processing.*same Idempotency-Key/);
  const tookMs = performance.now() - startedAtMs;
  assert(tookMs >= 1_400 && tookMs < 6_000, `${tookMs} ms`);
  assert(api.asked.length <= 4);
});

test('a question that fails is asked again: the payout exists, and its result is still wanted', async () => {
  let asked = 0;
  api.answer(({ method }, response) => {
    asked += 1;
    if (method === 'POST') return { status: 201, json: payout };
    if (asked > 4) return { json: { ...payout, status: 'completed' } };
    response.destroy();
    return undefined;
  });
  assert.equal((await kelpie.payouts.createAndWait(order, options)).status, 'completed');
});

test('what a wait can not get past ends it: a payout that was not created, a key that was revoked, a signal', async () => {
  api.answer(() => ({ status: 402, json: { error: { code: 'insufficient_funds', message: 'Top up.' } } }));
  await assert.rejects(kelpie.payouts.createAndWait(order, options), KelpieError);
  api.answer(({ method }) =>
    method === 'POST'
      ? { status: 201, json: payout }
      : { status: 401, json: { error: { code: 'unauthorized', message: 'No.' } } },
  );
  await assert.rejects(kelpie.payouts.createAndWait(order, options), { code: 'unauthorized' });
  answerStatuses('processing');
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 300);
  const { signal } = controller;
  await assert.rejects(kelpie.payouts.createAndWait(order, { ...options, signal }), KelpieUnreachable);
});
