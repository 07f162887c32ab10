import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KelpieError, KelpieUnreachable } from '@kelpie/sdk';
import { AnotherOrder, mayExistAfter, outcomeOf } from './outcome.ts';

const lost = new KelpieUnreachable({ reason: 'network', idempotencyKey: 'dashboard-1' });

function said(code: string, status: number): KelpieError {
  return new KelpieError({ code, status, message: code });
}

const beforeLookUp: readonly [string, number][] = [
  ['unauthorized', 401],
  ['api_key_required', 403],
  ['cross_site_request', 403],
  ['verification_required', 403],
  ['session_changed', 409],
  ['invalid_amount', 422],
  ['invalid_recipient', 422],
  ['invalid_request', 422],
  ['corridor_not_enabled', 422],
  ['rate_limited', 429],
];
const afterLookUp: readonly [string, number][] = [
  ['insufficient_funds', 402],
  ['partner_not_active', 403],
  ['limit_exceeded', 422],
  ['recipient_account_rejected', 422],
  ['payout_not_created', 502],
];
const uncertain: readonly [string, number][] = [
  ['request_timeout', 408],
  ['idempotency_key_in_use', 409],
  ['idempotency_key_reused', 422],
  ['internal_error', 500],
  ['balance_unavailable', 502],
  ['rate_unavailable', 502],
  ['unavailable', 503],
  ['a_code_of_a_later_api', 422],
];

test('an answer that was lost leaves the outcome unknown', () => {
  assert.equal(outcomeOf(lost, false).kind, 'unknown');
  assert.equal(outcomeOf(new TypeError('the page broke'), false).kind, 'unknown');
});

for (const [code, status] of beforeLookUp) {
  test(`${code} is certain for a first attempt, and says nothing of one whose answer was lost`, () => {
    assert.equal(outcomeOf(said(code, status), false).kind, 'refused');
    assert.equal(outcomeOf(said(code, status), true).kind, 'unknown');
  });
}

for (const [code, status] of afterLookUp) {
  test(`${code} is certain for every attempt, since the key was looked up first`, () => {
    assert.equal(outcomeOf(said(code, status), false).kind, 'refused');
    assert.equal(outcomeOf(said(code, status), true).kind, 'refused');
  });
}

for (const [code, status] of uncertain) {
  test(`${code} is never taken for "no money moved"`, () => {
    assert.equal(outcomeOf(said(code, status), false).kind, 'unknown');
    assert.equal(outcomeOf(said(code, status), true).kind, 'unknown');
  });
}

test('whatever comes between, only a certain answer ends an unknown outcome', () => {
  let mayExist = false;
  for (const error of [
    lost,
    said('rate_limited', 429),
    said('unauthorized', 401),
    said('unavailable', 503),
    said('confirmation_required', 422),
    said('invalid_confirm_code', 422),
    new AnotherOrder(),
    said('session_changed', 409),
  ]) {
    mayExist = mayExistAfter(outcomeOf(error, mayExist));
    assert.equal(mayExist, true, error.message);
  }
  assert.equal(mayExistAfter(outcomeOf(said('insufficient_funds', 402), mayExist)), false);
});

test('a code that is wanted, or does not fit, left nothing behind by itself', () => {
  assert.deepEqual(outcomeOf(said('confirmation_required', 422), false), {
    kind: 'code-wanted',
    isWrong: false,
    mayExist: false,
  });
  assert.deepEqual(outcomeOf(said('invalid_confirm_code', 422), false), {
    kind: 'code-wanted',
    isWrong: true,
    mayExist: false,
  });
});
