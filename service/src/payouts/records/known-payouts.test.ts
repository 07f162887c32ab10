import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ShownPayout } from '../model/payout.ts';
import { createKnownPayouts } from './known-payouts.ts';

const payout: ShownPayout = {
  id: 'one',
  environment: 'sandbox',
  state: 'processing',
  reference: null,
  bankReference: '',
  amount: 100n,
  fee: 1n,
  walletDebit: 1n,
  recipientName: null,
  accountLast4: null,
  failureCode: null,
  failureReason: null,
  updatedAt: new Date(0),
  createdVia: 'api',
  idempotencyKey: null,
  isDuplicateSuspected: false,
};
const asked = { partnerId: 'own', environment: 'sandbox', payoutId: 'one' } as const;
const change = { revision: '1', instant: '2026-11-19 01:02:03+00' };

test('what one partner has read is not known to another, nor in the other environment', () => {
  const known = createKnownPayouts();
  known.keep(asked, { ...change, payout });
  assert.equal(known.find(asked)?.payout, payout);
  assert.equal(known.find({ ...asked, partnerId: 'other' }), undefined);
  assert.equal(known.find({ ...asked, environment: 'live' }), undefined);
});

test('no more are known than there is room for: the oldest make room', () => {
  const known = createKnownPayouts(2);
  const keep = (payoutId: string): void => known.keep({ ...asked, payoutId }, { ...change, payout });
  for (const payoutId of ['one', 'two', 'one', 'three']) keep(payoutId);
  const left = ['one', 'two', 'three'].filter((payoutId) => known.find({ ...asked, payoutId }) !== undefined);
  assert.deepEqual(left, ['one', 'three']);
});
