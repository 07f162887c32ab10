import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { apiKey, order, payout } from '../test/examples.ts';
import { startStandInApi } from '../test/stand-in-api.ts';
import { createKelpie, KelpieError, KelpieUnreachable } from './index.ts';

const api = await startStandInApi();
const kelpie = createKelpie({ apiKey, baseUrl: api.url, retries: 0 });

async function caught<Kind extends object>(kind: new (init: never) => Kind, work: Promise<unknown>): Promise<Kind> {
  try {
    await work;
  } catch (error) {
    assert(error instanceof kind, inspect(error));
    assert(!inspect(error, { depth: null }).includes(apiKey), 'the key is in the error');
    return error;
  }
  throw new Error('it did not fail');
}

function answerError(status: number, error: object, headers: Record<string, string> = {}): void {
  api.answer(() => ({ status, json: { error }, headers }));
}

const create = async (): Promise<unknown> => kelpie.payouts.create(order, { idempotencyKey: 'order-42' });

test('an error says its code, its status, what Kelpie said, and which request it was', async () => {
  answerError(409, { code: 'idempotency_key_in_use', message: 'It is on its way.' }, { 'retry-after': '1' });
  const error = await caught(KelpieError, create());
  const { name, message, code, status, details, requestId, retryAfterSeconds } = error;
  assert.deepEqual(
    { name, message, code, status, details, requestId, retryAfterSeconds },
    {
      name: 'KelpieError',
      message: 'It is on its way.',
      code: 'idempotency_key_in_use',
      status: 409,
      details: undefined,
      requestId: 'req-1',
      retryAfterSeconds: 1,
    },
  );
  assert.deepEqual([error.fields, error.missing, error.shortfall], [[], [], undefined]);
});

test('a wrong request says each field and its rule, and what is missing', async () => {
  const fields = [{ path: 'recipient.bank.sort_code', rule: 'must be 6 digits' }];
  const missing = ['recipient.bank.sort_code (6 digits)'];
  answerError(422, { code: 'invalid_recipient', message: 'See details.', details: { fields, missing } });
  const error = await caught(KelpieError, create());
  assert.deepEqual([error.fields, error.missing, error.details], [fields, missing, { fields, missing }]);
});

test('an empty wallet says how much is short', async () => {
  const details = { available_usdc: '1.00', required_usdc: '1.92', shortfall_usdc: '0.92' };
  answerError(402, { code: 'insufficient_funds', message: 'Top it up.', details });
  const { shortfall } = await caught(KelpieError, create());
  assert.deepEqual(shortfall, { availableUsdc: '1.00', requiredUsdc: '1.92', shortfallUsdc: '0.92' });
});

test('a passed limit says which, what is left of it and when it resets', async () => {
  const details = { limit: 'daily', limit_gbp: '50000.00', left_gbp: '1250.00', resets_at: '2026-11-17T00:00:00.000Z' };
  answerError(422, { code: 'limit_exceeded', message: 'Wait.', details });
  const { exceededLimit } = await caught(KelpieError, create());
  const known = { limitGbp: '50000.00', leftGbp: '1250.00', resetsAt: '2026-11-17T00:00:00.000Z' };
  assert.deepEqual(exceededLimit, { limit: 'daily', ...known });
  answerError(422, { code: 'limit_exceeded', message: 'Wait.', details: { ...details, limit: 'a_later_limit' } });
  assert.equal((await caught(KelpieError, create())).exceededLimit, undefined);
});

test('a payout that was not created says why, as far as this version knows the reason', async () => {
  for (const [reason, known] of [
    ['rate_stale', 'rate_stale'],
    ['a_later_reason', undefined],
  ]) {
    answerError(502, { code: 'payout_not_created', message: 'Nothing was sent.', details: { reason } });
    assert.equal((await caught(KelpieError, create())).notCreatedReason, known);
  }
});

test('a code or details that this version does not know reach the caller as they are', async () => {
  for (const details of [null, 'text', 7, [], { fields: 'no list' }, { fields: [null, 1] }]) {
    answerError(418, { code: 'a_later_code', message: 'New.', details }, { 'retry-after': 'soon' });
    const error = await caught(KelpieError, create());
    assert.deepEqual([error.code, error.details, error.retryAfterSeconds], ['a_later_code', details, undefined]);
    assert(Array.isArray(error.fields) && error.shortfall === undefined);
  }
});

const badAnswers: readonly [what: string, reason: string, answer: (response: ServerResponse) => void][] = [
  ['a connection that is cut before the answer', 'network', (response) => response.destroy()],
  [
    'an answer that is cut off',
    'network',
    (response) => {
      response.writeHead(201, { 'content-length': '1000' });
      response.write('{"id":', () => response.destroy());
    },
  ],
  ["a proxy's page", 'unreadable', (response) => response.writeHead(502).end('<h1>Bad Gateway</h1>')],
  ['a page where a payout should be', 'unreadable', (response) => response.writeHead(200).end('<h1>Hello</h1>')],
  ['an answer without a body', 'unreadable', (response) => response.writeHead(201).end()],
  ['JSON that is not ours', 'unreadable', (response) => response.writeHead(500).end('{"error":"oops"}')],
  ['JSON that is no object', 'unreadable', (response) => response.writeHead(200).end('null')],
];

for (const [what, reason, answer] of badAnswers) {
  test(`${what} leaves the outcome unknown, and the error says with which key to repeat`, async () => {
    api.answer((_, response) => {
      answer(response);
      return undefined;
    });
    const error = await caught(KelpieUnreachable, create());
    assert.deepEqual([error.reason, error.idempotencyKey], [reason, 'order-42']);
    assert.match(error.message, /The outcome is unknown.*same Idempotency-Key/);
    assert.equal(api.asked.length, 1);
  });
}

test('who is not there is unreachable, and a call that pays nothing does not speak of a key', async () => {
  const nobody = createKelpie({ apiKey, baseUrl: 'http://127.0.0.1:1', retries: 0 });
  const error = await caught(KelpieUnreachable, nobody.balance.get());
  assert.deepEqual([error.reason, error.status, error.idempotencyKey], ['network', undefined, undefined]);
  assert(error.cause instanceof Error && !error.message.includes('Idempotency-Key'));
});

const silent = (): undefined => undefined;
const endless = (_: unknown, response: ServerResponse): undefined => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
};

test('every wait ends at its deadline: for the answer, and for the rest of one that has begun', async () => {
  const impatient = createKelpie({ apiKey, baseUrl: api.url, timeoutMs: 50, retries: 0 });
  for (const answer of [silent, endless]) {
    api.answer(answer);
    assert.equal((await caught(KelpieUnreachable, impatient.balance.get())).reason, 'timeout');
    assert.equal((await caught(KelpieUnreachable, kelpie.balance.get({ timeoutMs: 50 }))).reason, 'timeout');
  }
  for (const timeoutMs of [0, -1, Number.NaN, Infinity])
    await assert.rejects(kelpie.balance.get({ timeoutMs }), RangeError);
});

test('a signal ends a call at once, also one that was given too late', async () => {
  const controller = new AbortController();
  api.answer(() => {
    controller.abort();
    return undefined;
  });
  const { signal } = controller;
  const order42 = { idempotencyKey: 'order-42', signal };
  assert.equal((await caught(KelpieUnreachable, kelpie.payouts.create(order, order42))).reason, 'aborted');
  api.answer(() => ({ json: payout }));
  assert.equal((await caught(KelpieUnreachable, kelpie.payouts.get(payout.id, { signal }))).reason, 'aborted');
  assert.deepEqual(api.asked, []);
});

test('nobody can send a caller, its key and its order elsewhere', async () => {
  const elsewhere = await startStandInApi();
  api.answer(() => ({ status: 307, json: {}, headers: { location: `${elsewhere.url}/v1/payouts` } }));
  assert.equal((await caught(KelpieUnreachable, create())).reason, 'network');
  assert.deepEqual(elsewhere.asked, []);
});

/** Compiles only where a code tells the details apart. */
function adviceOn(error: KelpieError): string | undefined {
  if (error.code === 'insufficient_funds') return error.details.shortfall_usdc;
  if (error.code === 'limit_exceeded') return error.details.resets_at;
  if (error.code === 'invalid_recipient') return error.details.missing[0];
  return error.message;
}

test('the code of an error says what its details are', async () => {
  const details = { available_usdc: '1.00', required_usdc: '1.92', shortfall_usdc: '0.92' };
  answerError(402, { code: 'insufficient_funds', message: 'Top it up.', details });
  assert.equal(adviceOn(await caught(KelpieError, create())), '0.92');
  answerError(418, { code: 'a_later_code', message: 'New.' });
  assert.equal(adviceOn(await caught(KelpieError, create())), 'New.');
});
