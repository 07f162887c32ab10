import assert from 'node:assert/strict';
import { test } from 'node:test';
import { order, payout } from '../../../test/examples.ts';
import { KelpieError, KelpieUnreachable, type CreatedPayout } from '../../index.ts';
import { createPace } from './pace.ts';
import { payRows } from './pay-rows.ts';
import type { PayoutRow } from './read-rows.ts';
import type { RowResult } from './results-file.ts';

const rows: PayoutRow[] = Array.from({ length: 20 }, (_, at) => ({
  line: at + 2,
  key: `payroll-${at + 2}`,
  pence: 100n,
  order,
  fingerprint: '',
}));

const never = new AbortController().signal;

function refusal(code: string, status: number, more: object = {}): KelpieError {
  return new KelpieError({ code, status, message: 'No.', ...more });
}

/** What the API answers to each key, by the number of the attempt. */
async function payWith(answer: (key: string, attempt: number) => Error | undefined, atOnce = 4) {
  const attempts = new Map<string, number>();
  const results: RowResult[] = [];
  const create = async (
    _order: unknown,
    { idempotencyKey: key }: { idempotencyKey: string },
  ): Promise<CreatedPayout> => {
    attempts.set(key, (attempts.get(key) ?? 0) + 1);
    const error = answer(key, attempts.get(key) ?? 0);
    if (error !== undefined) throw error;
    return { payout, replayed: false };
  };
  // Only what is called is there: the rest of the client has no part in this.
  const kelpie = { payouts: { create } };
  const onDone = ({ result }: { result: RowResult }): void => void results.push(result);
  const stop = await payRows({ kelpie, pace: createPace(10_000), atOnce, onDone }, rows, never);
  return { stop, results, attempts };
}

test('what passes by itself is tried again under the same key, and every row has one result', async () => {
  const passing = [
    new KelpieUnreachable({ reason: 'timeout' }),
    refusal('rate_limited', 429),
    refusal('unavailable', 503),
    refusal('idempotency_key_in_use', 409),
  ];
  const { stop, results, attempts } = await payWith((key, attempt) => {
    const at = Number(key.slice('payroll-'.length));
    return attempt === 1 ? passing[at] : undefined;
  });
  assert.equal(stop, undefined);
  assert.deepEqual(new Set(results.map(({ key }) => key)).size, rows.length);
  assert.equal(results.length, rows.length);
  assert.deepEqual([attempts.get('payroll-2'), attempts.get('payroll-3'), attempts.get('payroll-9')], [2, 2, 1]);
});

test('a row that is refused is a result, and the others go on', async () => {
  const details = { limit: 'new_payee', limit_gbp: '1.00', left_gbp: '0.00', resets_at: '2026-11-19T00:00:00Z' };
  const { stop, results } = await payWith((key) => {
    if (key === 'payroll-3') return refusal('recipient_account_rejected', 422);
    return key === 'payroll-4' ? refusal('limit_exceeded', 422, { details }) : undefined;
  });
  assert.equal(stop, undefined);
  assert.equal(results.length, rows.length);
  assert.deepEqual(
    results.filter(({ status }) => status === 'refused').map(({ row, error }) => [row, error]),
    [
      [3, 'recipient_account_rejected: No.'],
      [4, 'limit_exceeded: No.'],
    ],
  );
});

test('what holds for every row ends the run at its line: no funds, a daily limit, a wrong key', async () => {
  const daily = { limit: 'daily', limit_gbp: '1.00', left_gbp: '0.00', resets_at: '2026-11-19T00:00:00Z' };
  for (const error of [
    refusal('insufficient_funds', 402),
    refusal('limit_exceeded', 422, { details: daily }),
    refusal('unauthorized', 401),
    refusal('partner_not_active', 403),
    refusal('not_found', 404),
  ]) {
    const { stop, results, attempts } = await payWith((key) => (key === 'payroll-7' ? error : undefined), 1);
    assert.deepEqual(stop, { code: error.code, why: 'No.', line: 7 });
    assert.equal(results.length, 5);
    assert(!attempts.has('payroll-8'), 'no row is sent after it');
  }
});

test('an interruption ends the run, and what was under way has its result', async () => {
  const controller = new AbortController();
  const results: RowResult[] = [];
  const kelpie = {
    payouts: {
      async create() {
        controller.abort();
        return { payout, replayed: false };
      },
    },
  };
  const onDone = ({ result }: { result: RowResult }): void => void results.push(result);
  const stop = await payRows({ kelpie, pace: createPace(10_000), atOnce: 1, onDone }, rows, controller.signal);
  assert.deepEqual([stop, results.length], ['interrupted', 1]);
});

test('the pace is kept, also over a pause that was asked for', async () => {
  let clock = 0;
  const pace = createPace(25, () => clock);
  const at: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const started = performance.now();
    await pace.turn(never);
    clock += Math.round(performance.now() - started);
    at.push(clock);
  }
  pace.hold(100);
  const started = performance.now();
  await pace.turn(never);
  assert((at[2] ?? 0) >= 70, `third turn after ${at[2]} ms`);
  assert(performance.now() - started >= 95);
});
