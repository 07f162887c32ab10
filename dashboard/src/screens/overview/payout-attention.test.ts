import type { Payout } from '@kelpie/sdk';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCutOff, openPayoutItems, troubledPayoutItems } from './payout-attention.ts';

const payout: Payout = {
  id: '01999999-aaaa-7bbb-8ccc-ddddeeeeffff',
  object: 'payout',
  idempotency_key: 'order-42',
  environment: 'sandbox',
  status: 'failed',
  reference: null,
  bank_reference: 'Order 42',
  country: 'GB',
  amount_gbp: '25.00',
  fee_gbp: '1.24',
  wallet_sent_usdc: '32.10',
  recipient: { name: 'Grace Hopper', account_last4: '5678' },
  created_via: 'api',
  duplicate_suspected: false,
  failure_reason: null,
  failure_code: null,
  created_at: '2026-11-15T10:00:00.000Z',
  updated_at: '2026-11-15T10:00:00.000Z',
};
const readAtMs = Date.parse('2026-11-15T12:00:00.000Z');
const old: Payout = { ...payout, updated_at: '2026-11-01T10:00:00.000Z' };

function ids(items: readonly { id: string }[]): string[] {
  return items.map(({ id }) => id);
}

test('where more payouts need a look than are told, the way to all of them is', () => {
  assert.equal(openPayoutItems({ data: [payout, payout], next: 'abc' }, 2).at(-1)?.id, 'more open');
  assert.equal(troubledPayoutItems({ data: [payout, payout], next: 'abc' }, 2, readAtMs).at(-1)?.id, 'more troubled');
  assert.deepEqual(ids(openPayoutItems({ data: [payout], next: undefined }, 1)), [`open ${payout.id}`]);
  assert.deepEqual(ids(troubledPayoutItems({ data: [payout, old], next: 'abc' }, 2, readAtMs)), [payout.id]);
});

test('an answer that has not looked at every payout is told from one that has', () => {
  assert.equal(isCutOff({ data: [], next: 'abc' }, 2), true);
  assert.equal(isCutOff({ data: [payout], next: 'abc' }, 2), true);
  assert.equal(isCutOff({ data: [payout, payout], next: 'abc' }, 2), false);
  assert.equal(isCutOff({ data: [], next: undefined }, 2), false);
  assert.equal(isCutOff(undefined, 2), false);
});
