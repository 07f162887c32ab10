import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, order, payout } from '../test/examples.ts';
import { startStandInApi } from '../test/stand-in-api.ts';
import { createKelpie, requestIdOf, type LogEntry } from './index.ts';

const api = await startStandInApi();
const entries: LogEntry[] = [];
const kelpie = createKelpie({ apiKey, baseUrl: api.url, log: (entry) => entries.push(entry) });

test('the log has every attempt: what was asked, how it ended, how long it took, and which request it was', async () => {
  let asked = 0;
  api.answer((_asked, response) => {
    asked += 1;
    if (asked === 1) response.destroy();
    if (asked === 1) return undefined;
    if (asked === 2) return { status: 429, json: { error: { code: 'rate_limited', message: 'Wait.' } } };
    return { json: payout };
  });
  await kelpie.payouts.get(payout.id);
  assert.deepEqual(
    entries.map(({ method, path, attempt, status, code, reason, requestId }) => [
      method,
      path,
      attempt,
      status,
      code,
      reason,
      requestId,
    ]),
    [
      ['GET', '/v1/payouts/{id}', 1, undefined, undefined, 'network', undefined],
      ['GET', '/v1/payouts/{id}', 2, 429, 'rate_limited', undefined, 'req-1'],
      ['GET', '/v1/payouts/{id}', 3, 200, undefined, undefined, 'req-1'],
    ],
  );
  assert(entries.every(({ durationMs }) => durationMs >= 0));
  assert.deepEqual(
    entries.map(({ retryInMs }) => retryInMs !== undefined),
    [true, true, false],
  );
});

test('the log holds no key, no body, no id and no filter', async () => {
  entries.length = 0;
  api.answer(() => ({ json: { ...payout, object: 'list', data: [payout] } }));
  await kelpie.payouts.create(order, { idempotencyKey: 'order-42' });
  await kelpie.payouts.list({ reference: 'Order 42' });
  await kelpie.members.remove('ada@example.com', { confirmCode: '204816' });
  const written = JSON.stringify(entries);
  for (const secret of [apiKey, 'order-42', 'Order 42', 'Ada', '12345678', 'ada@', '204816', payout.id])
    assert(!written.includes(secret), secret);
  assert.equal(entries.length, 3);
});

test('a log that fails does not make a payout look as if it had failed', async () => {
  const failing = createKelpie({
    apiKey,
    baseUrl: api.url,
    log() {
      throw new Error('the disk is full');
    },
  });
  assert.deepEqual(await failing.payouts.get(payout.id), { ...payout, object: 'list', data: [payout] });
});

test('every result says which request it is from, and looks as if it did not', async () => {
  api.answer(() => ({ json: { ...payout, object: 'list', data: [payout], movements: [] } }));
  const results = [
    await kelpie.payouts.get(payout.id),
    await kelpie.payouts.create(order, { idempotencyKey: 'order-42' }),
    (await kelpie.payouts.create(order, { idempotencyKey: 'order-42' })).payout,
    await kelpie.payouts.list(),
    await kelpie.invoices.listItems(payout.id),
    await kelpie.webhooks.listDeliveries(payout.id),
    await kelpie.statements.get({ month: '2026-11' }),
    await kelpie.auth.listAccounts(),
    await kelpie.auth.listSessions(),
    await kelpie.statements.downloadCsv('2026-11'),
  ];
  for (const result of results) {
    assert.equal(requestIdOf(result), 'req-1');
    assert(!JSON.stringify(result).includes('req-1'));
    assert.deepEqual(
      Object.keys(result).filter((name) => name.includes('equest')),
      [],
    );
  }
  assert.equal(requestIdOf({}), undefined);
});
