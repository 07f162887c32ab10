import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payout } from '../../test/examples.ts';
import { KelpieError, KelpieUnreachable, KelpieWaitTimeout } from '../index.ts';
import { CommandError } from './command-error.ts';
import { explainFailure } from './failure.ts';

function refusal(status: number, more: object = {}): KelpieError {
  return new KelpieError({ code: 'invalid_request', message: 'No.', status, ...more });
}

test('each failure has the exit code that says what to do', () => {
  const cases: readonly (readonly [exitCode: number, error: unknown])[] = [
    [78, refusal(401)],
    [2, refusal(402)],
    [2, refusal(403)],
    [2, refusal(422)],
    [69, refusal(429)],
    [69, refusal(503)],
    [75, refusal(503, { isOutcomeUnknown: true })],
    [69, new KelpieUnreachable({ reason: 'network', isSafeToRepeat: true })],
    [75, new KelpieUnreachable({ reason: 'timeout', idempotencyKey: 'order-42' })],
    [75, new KelpieUnreachable({ reason: 'timeout' })],
    [75, new KelpieWaitTimeout(payout)],
    [64, new CommandError('usage', 'usage', 'No.')],
    [70, new TypeError('12345678')],
  ];
  for (const [exitCode, error] of cases) assert.equal(explainFailure(error).exitCode, exitCode, String(error));
});

test('a refusal lists every fault, what differs, and its Request-Id', () => {
  const details = { fields: [{ path: 'amount_gbp', rule: 'is required' }], mismatched: ['recipient.last_name'] };
  assert.deepEqual(explainFailure(refusal(422, { details, requestId: 'r1' })).lines, [
    '  amount_gbp is required',
    '  These differ from the first request: recipient.last_name',
    'Request-Id: r1',
  ]);
});

test('an unknown outcome names the key to repeat it with', () => {
  const { lines, more } = explainFailure(new KelpieUnreachable({ reason: 'timeout', idempotencyKey: 'order-42' }));
  assert.deepEqual([lines, more], [['Idempotency-Key: order-42'], { idempotency_key: 'order-42' }]);
});

test('a bug says where it happened, and not what it was about: that could be a bank detail', () => {
  const { message, lines = [] } = explainFailure(new TypeError('12345678 is no function'));
  assert(lines.length > 0);
  assert(![message, ...lines].some((line) => line.includes('12345678')));
});
