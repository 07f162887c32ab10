import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { apiKey, order, payout } from '../test/examples.ts';
import { startStandInApi } from '../test/stand-in-api.ts';
import { createKelpie, KelpieError, KelpieUnreachable, type LogEntry } from './index.ts';
import { pauseBeforeRetryMs } from './retries.ts';

const api = await startStandInApi();
const kelpie = createKelpie({ apiKey, baseUrl: api.url });
const create = async (): Promise<unknown> => kelpie.payouts.create(order, { idempotencyKey: 'order-42' });

function refusal(status: number, code: string, retryAfter?: string) {
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return { status, json: { error: { code, message: 'Not now.' } }, headers };
}

type Reply = ReturnType<typeof refusal> | { status?: number; json: unknown } | 'cut';

/** One answer after the other; the last for all that follow. */
function answerInTurn(...replies: Reply[]): void {
  let next = 0;
  api.answer((_asked, response: ServerResponse) => {
    const reply = replies[Math.min(next, replies.length - 1)];
    next += 1;
    if (reply === 'cut') response.destroy();
    return reply === 'cut' ? undefined : reply;
  });
}

async function caught(work: Promise<unknown>): Promise<KelpieError | KelpieUnreachable> {
  const error: unknown = await work.then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof KelpieError || error instanceof KelpieUnreachable) return error;
  throw error;
}

test('a read and a payout with its key are tried again after whatever may pass, and succeed', async () => {
  const passing: Reply[] = [
    'cut',
    refusal(408, 'request_timeout'),
    refusal(429, 'rate_limited', '0'),
    refusal(500, 'internal_error'),
    refusal(502, 'payout_not_created'),
    refusal(503, 'unavailable', '0'),
    refusal(599, 'a_later_code'),
    { status: 502, json: 'a proxy that is not Kelpie' },
  ];
  for (const reply of passing) {
    answerInTurn(reply, { json: payout });
    assert.deepEqual(await kelpie.payouts.get(payout.id), payout);
    assert.equal(api.asked.length, 2);
  }
  answerInTurn(refusal(409, 'idempotency_key_in_use', '0'), 'cut', { status: 201, json: payout });
  await create();
  assert.deepEqual(
    api.asked.map(({ headers, body }) => [headers['idempotency-key'], body]),
    [1, 2, 3].map(() => ['order-42', order]),
  );
});

test('what will not pass is asked once: a refusal of the request, another conflict, an answer that is not ours', async () => {
  const standing: Reply[] = [
    refusal(400, 'invalid_json'),
    refusal(401, 'unauthorized'),
    refusal(402, 'insufficient_funds'),
    refusal(404, 'not_found'),
    refusal(409, 'session_changed'),
    refusal(409, 'a_later_conflict'),
    refusal(422, 'confirmation_required'),
    { status: 404, json: 'a page' },
    { status: 200, json: 'a page' },
  ];
  for (const reply of standing) {
    answerInTurn(reply);
    await caught(create());
    assert.equal(api.asked.length, 1);
  }
});

test('what is not idempotent is asked once, whatever happens, and its error does not call it safe', async () => {
  const id = payout.id;
  const calls: (() => Promise<unknown>)[] = [
    async () => kelpie.keys.create({ environment: 'sandbox' }),
    async () => kelpie.keys.roll(id),
    async () => kelpie.webhooks.create({ url: 'https://example.com/kelpie' }),
    async () => kelpie.webhooks.rollSecret(id),
    async () => kelpie.webhooks.test(id),
    async () => kelpie.members.invite({ email: 'ada@example.com', role: 'viewer' }),
    async () => kelpie.auth.requestCode({ email: 'ada@example.com' }),
  ];
  for (const call of calls) {
    answerInTurn(refusal(503, 'unavailable', '0'));
    assert(await caught(call()));
    assert.equal(api.asked.length, 1);
    answerInTurn('cut');
    const error = await caught(call());
    assert(error instanceof KelpieUnreachable && !error.isSafeToRepeat);
    assert.match(error.message, /could do it twice/);
    assert.doesNotMatch(error.message, /safe to call again/);
    assert.equal(api.asked.length, 1);
  }
});

test('a change that does nothing more when it is repeated is tried again: a cancellation, a revocation, a quote', async () => {
  const calls = [
    async () => kelpie.payouts.cancel(payout.id),
    async () => kelpie.keys.revoke(payout.id),
    async () => kelpie.quotes.create({ amount_gbp: '25.00' }),
  ];
  for (const call of calls) {
    answerInTurn('cut', { json: payout });
    await call();
    assert.equal(api.asked.length, 2);
  }
});

test('there are three attempts, and none more where retries are 0, for the client or for one call', async () => {
  answerInTurn('cut');
  const error = await caught(kelpie.balance.get());
  assert(error instanceof KelpieUnreachable && error.isSafeToRepeat);
  assert.match(error.message, /It is safe to call again\./);
  assert.equal(api.asked.length, 3);
  answerInTurn('cut');
  await caught(kelpie.balance.get({ retries: 0 }));
  assert.equal(api.asked.length, 1);
  answerInTurn('cut');
  await caught(createKelpie({ apiKey, baseUrl: api.url, retries: 0 }).balance.get());
  assert.equal(api.asked.length, 1);
  for (const retries of [-1, 1.5, 11, Number.NaN]) await assert.rejects(kelpie.balance.get({ retries }), RangeError);
});

test('the next attempt comes no earlier than Retry-After', async () => {
  const entries: LogEntry[] = [];
  const logging = createKelpie({ apiKey, baseUrl: api.url, log: (entry) => entries.push(entry) });
  answerInTurn(refusal(503, 'unavailable', '1'), { json: payout });
  const startedAtMs = performance.now();
  await logging.balance.get();
  assert(performance.now() - startedAtMs >= 990);
  assert(entries[0]?.retryInMs !== undefined && entries[0].retryInMs >= 1000);
});

test('a call ends at its deadline, with all its attempts: it does not begin a pause that passes it', async () => {
  answerInTurn(refusal(503, 'unavailable', '30'));
  const startedAtMs = performance.now();
  const refused = await caught(kelpie.balance.get({ deadlineMs: 5_000 }));
  assert(refused instanceof KelpieError && refused.retryAfterSeconds === 30);
  assert(performance.now() - startedAtMs < 4_000);
  assert.equal(api.asked.length, 1);
  api.answer(() => undefined);
  const before = performance.now();
  const silent = await caught(kelpie.balance.get({ timeoutMs: 400, deadlineMs: 900, retries: 10 }));
  assert(silent instanceof KelpieUnreachable && silent.reason === 'timeout');
  assert(performance.now() - before < 2_000);
  for (const deadlineMs of [0, -1, Number.NaN, Infinity])
    await assert.rejects(kelpie.balance.get({ deadlineMs }), RangeError);
});

test('a signal ends a pause at once', async () => {
  const controller = new AbortController();
  answerInTurn(refusal(503, 'unavailable', '20'));
  setTimeout(() => controller.abort(), 100);
  const startedAtMs = performance.now();
  const error = await caught(kelpie.balance.get({ signal: controller.signal }));
  assert(error instanceof KelpieUnreachable && error.reason === 'aborted');
  assert(performance.now() - startedAtMs < 10_000);
  assert.equal(api.asked.length, 1);
});

test('a pause is anything up to a bound that doubles to 8 seconds, and at least what Kelpie asks for', () => {
  const lost = { kind: 'unreachable', reason: 'network' } as const;
  const bounds = [1, 2, 3, 4, 5, 6, 7].map((attempt) => pauseBeforeRetryMs(lost, attempt, 1));
  assert.deepEqual(bounds, [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  assert.deepEqual(
    [0, 0.5].map((random) => pauseBeforeRetryMs(lost, 3, random)),
    [0, 1_000],
  );
  const busy = { code: 'unavailable', message: '', status: 503, retryAfterSeconds: 7 };
  assert.equal(pauseBeforeRetryMs({ kind: 'refused', refusal: busy }, 1, 1), 7_000);
});

test('a refusal says whether an attempt before it may have paid', async () => {
  const unknown: Reply[][] = [
    ['cut', refusal(429, 'rate_limited')],
    ['cut', refusal(401, 'unauthorized')],
    [refusal(503, 'unavailable'), refusal(422, 'invalid_request')],
    [refusal(500, 'internal_error')],
    [refusal(409, 'idempotency_key_in_use')],
  ];
  const known: Reply[][] = [
    [refusal(401, 'unauthorized')],
    ['cut', refusal(402, 'insufficient_funds')],
    ['cut', refusal(422, 'limit_exceeded')],
    ['cut', refusal(502, 'payout_not_created')],
  ];
  for (const [replies, expected] of [
    ...unknown.map((each) => [each, true] as const),
    ...known.map((each) => [each, false] as const),
  ]) {
    answerInTurn(...replies);
    const error = await caught(kelpie.payouts.create(order, { idempotencyKey: 'order-42', retries: 1 }));
    assert(error instanceof KelpieError);
    assert.equal(error.isOutcomeUnknown, expected, error.code);
  }
  answerInTurn('cut', refusal(500, 'internal_error'));
  const read = await caught(kelpie.balance.get());
  assert(read instanceof KelpieError && !read.isOutcomeUnknown);
});
