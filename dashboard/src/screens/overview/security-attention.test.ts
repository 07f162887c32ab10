import type { Limits } from '@kelpie/sdk';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frozenItems, limitItems } from './security-attention.ts';

function limitsWith(left: string | null, keys: Limits['keys'] = []): Limits {
  const limit = left === null ? null : '50000.00';
  return {
    object: 'limits',
    environment: 'live',
    daily: { limit_gbp: limit, spent_gbp: '0.00', left_gbp: left, resets_at: '2026-11-17T00:00:00.000Z' },
    new_payee: { limit_gbp: null },
    highest_daily_limit_gbp: '50000.00',
    keys,
  };
}

test('a limit needs attention once less than a tenth is left', () => {
  for (const left of [null, '50000.00', '5000.00']) assert.deepEqual(limitItems(limitsWith(left)), []);
  const [nearly] = limitItems(limitsWith('4999.99'));
  assert.equal(nearly?.text, 'Your daily limit is nearly used up');
  assert.match(nearly?.detail ?? '', /^£4,999\.99 of £50,000\.00 left until 17 Nov/);
  assert.equal(limitItems(limitsWith('0.00'))[0]?.text, 'Your daily limit is used up');
});

test('a key that is too new to pay all that it may is named, with what it may pay and until when', () => {
  const key = {
    id: 'id',
    key_prefix: 'kp_live_0123abcd',
    spent_gbp: '0.00',
    left_gbp: '1000.00',
    limit_gbp: '1000.00',
  };
  const items = limitItems(limitsWith('50000.00', [{ ...key, full_limit_at: '2026-11-17T10:00:00.000Z' }]));
  assert.match(items[0]?.detail ?? '', /^kp_live_0123abcd… can pay £1,000\.00 per day until 17 Nov/);
  assert.deepEqual(limitItems(limitsWith('50000.00', [{ ...key, full_limit_at: null }])), []);
});

test('frozen payouts are urgent', () => {
  assert.equal(frozenItems({ is_frozen: true })[0]?.level, 'urgent');
  assert.deepEqual(frozenItems({ is_frozen: false }), []);
  assert.deepEqual(frozenItems(undefined), []);
});
