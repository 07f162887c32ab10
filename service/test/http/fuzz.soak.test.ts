import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { RawAnswer } from '../fuzz/connection.ts';
import { startFuzzedApi } from '../fuzz/fuzzed-api.ts';
import { findFault } from '../fuzz/judge.ts';
import { packRequest, unpackRequest, type FuzzRequest } from '../fuzz/request.ts';
import { createSource, runFuzz } from '../fuzz/run-fuzz.ts';
import { canaries } from '../harness/client.ts';
import { operations } from '../harness/contract.ts';
import { createTestDatabase } from '../harness/database.ts';

const database = await createTestDatabase();
/** Another one is tried by `npm run fuzz -- --seed N`. */
const seed = 20_261_115;

function take(count: number, from: number): FuzzRequest[] {
  const next = createSource(from);
  return Array.from({ length: count }, next);
}

/** Some requests wait for a payout, or for a webhook's server that is not there, as they ask to. */
const timeout = 400_000;

test(
  'faults 55: 20,000 generated requests are answered as declared, and those that are refused change nothing',
  { timeout },
  async (t) => {
    const { violations, figures } = await runFuzz({
      database,
      requests: 20_000,
      seed,
      say: (text) => t.diagnostic(text),
    });
    assert.deepEqual(violations, []);
    assert.equal(figures.requests, 20_000);
    // A run in which nothing succeeded, or that left something out, would have shown little.
    assert(figures.payouts > 200, `${figures.payouts} payouts`);
    const tried = new Set(Object.keys(figures.byOperation));
    assert.deepEqual(
      operations.map(({ id }) => id).filter((id) => !tried.has(id)),
      [],
    );
    for (const status of [
      '200',
      '400 invalid_json',
      '401 unauthorized',
      '402 insufficient_funds',
      '403 partner_not_active',
    ])
      assert((figures.byStatus[status] ?? 0) > 10, `${status} hardly happened`);
  },
);

test('the same seed makes the same requests, and another seed others', () => {
  assert.deepEqual(take(200, 1), take(200, 1));
  assert.notDeepEqual(take(200, 1), take(200, 2));
});

test('a request can be packed into a line, and is the same when it is taken out again', () => {
  for (const request of take(500, 3)) {
    const line = packRequest(request);
    assert.match(line, /^[A-Za-z0-9_-]+$/);
    assert.deepEqual(unpackRequest(line), request);
  }
});

const asked: FuzzRequest = {
  operation: 'getBalance',
  partner: 0,
  method: 'GET',
  address: '/v1/balance',
  head: '',
  body: Buffer.alloc(0),
  isRaw: false,
};

function answerWith(status: number, json: unknown, change: Record<string, string> = {}): RawAnswer {
  const usual = { 'request-id': '01936d0e-0000-7000-8000-000000000000', 'content-type': 'application/json' };
  return { status, headers: new Map(Object.entries({ ...usual, ...change })), text: JSON.stringify(json), json };
}

function refusedWith(code: string, message = 'x'): object {
  return { error: { code, message } };
}

test('an answer that breaks a promise is seen', () => {
  const balance = { object: 'balance', usdc: '1.00', approx_gbp: '0.79', gbp_per_usd: 0.79 };
  assert.equal(findFault(asked, answerWith(200, balance)), undefined);
  assert.equal(findFault(asked, answerWith(401, refusedWith('unauthorized'))), undefined);
  const wrong: [string, RawAnswer | null][] = [
    ['not answered', null],
    ['an error of ours', answerWith(500, refusedWith('internal_error'))],
    ['without a Request-Id', answerWith(200, balance, { 'request-id': '' })],
    ['not called JSON', answerWith(200, balance, { 'content-type': 'text/html' })],
    ['not JSON', { ...answerWith(200, balance), text: '<html>', json: undefined }],
    ['another form', answerWith(200, { ...balance, more: 1 })],
    ['a status that is not declared', answerWith(402, refusedWith('insufficient_funds'))],
    ['a code that is not declared', answerWith(401, refusedWith('other'))],
    ['a bank detail', answerWith(401, refusedWith('unauthorized', canaries.accountNumber))],
    ['a key', answerWith(401, refusedWith('unauthorized', `kp_live_${'a'.repeat(48)}`))],
  ];
  for (const [what, answer] of wrong) assert.notEqual(findFault(asked, answer), undefined, what);
  const foreign = { ...asked, method: 'GET', address: '/v1/payouts/<foreign-id>' };
  assert.match(String(findFault(foreign, answerWith(200, {}))), /another partner/);
});

test('a change that no answer tells of is seen in the books', async () => {
  const api = await startFuzzedApi(database);
  assert.deepEqual(await api.model.compare(), []);
  const [one] = api.partners;
  await asAdmin(database.superuserUrl, async (client) =>
    client.query('update kelpie.wallets set balance_micro_usdc = balance_micro_usdc - 1 where partner_id = $1', [
      one?.partnerId,
    ]),
  );
  assert.equal((await api.model.compare()).length, 1);
  await api.end();
});
