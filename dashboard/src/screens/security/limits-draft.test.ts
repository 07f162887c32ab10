import type { Limits } from '@kelpie/sdk';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitsChange, limitsDraft, limitsMistakes, limitsText } from './limits-draft.ts';

const live: Limits = {
  object: 'limits',
  environment: 'live',
  daily: {
    limit_gbp: '50000.00',
    spent_gbp: '0.00',
    left_gbp: '50000.00',
    resets_at: '2026-11-17T00:00:00.000Z',
  },
  new_payee: { limit_gbp: '20000.00' },
  highest_daily_limit_gbp: '50000.00',
  keys: [],
};

test('only the limit that changes is sent, however it is typed', () => {
  assert.deepEqual(limitsChange(limitsDraft(live), live), {});
  assert.deepEqual(limitsChange({ daily: '50,000', newPayee: '£25,000' }, live), { new_payee_limit_gbp: '25000.00' });
  assert.deepEqual(limitsChange({ daily: '', newPayee: '20000' }, live), { daily_limit_gbp: null });
});

test('what the API would refuse is said before it is sent', () => {
  const wrong = (daily: string, limits = live) => limitsMistakes({ ...limitsDraft(limits), daily }, limits).daily;
  assert.equal(wrong('30000'), undefined);
  assert.equal(wrong('19999.99'), 'Minimum £20,000.00.');
  assert.equal(wrong('50000.01'), 'Maximum £50,000.00.');
  assert.match(wrong('much') ?? '', /^Enter an amount in pounds/);
  assert.match(wrong('') ?? '', /^Enter an amount/);
  assert.equal(wrong('', { ...live, environment: 'sandbox' }), undefined);
});

test('what a code confirms is said in a sentence', () => {
  assert.equal(
    limitsText({ daily_limit_gbp: '30000.00', new_payee_limit_gbp: null }),
    'a daily limit of £30,000.00 and no daily limit for new recipients',
  );
});
