import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaymentRecord } from '../banks/index.ts';
import { compareDeposit, type ListedDeposit, type OurDeposit } from './compare-deposit.ts';
import { compareTransfer, judgeStranger, type OurTransfer } from './compare-transfer.ts';
import type { Comparison } from './cases/difference.ts';

const cutOff = new Date('2026-11-16T05:00:00Z');
const before = new Date('2026-11-16T04:59:59.999Z');

const ours: OurTransfer = {
  payoutId: 'p1',
  orderId: 'o1',
  state: 'completed',
  paymentId: 't1',
  pays: 100n,
  recipient: { id: 'r1' },
  took: 50n,
  refunded: null,
  booked: -50n,
  changedAt: before,
};

const payment: PaymentRecord = {
  id: 't1',
  ourReference: 'o1',
  state: 'arrived',
  bankState: 'payment_processed',
  taken: 50n,
  refunded: null,
  failure: null,
  networkFee: null,
  returnFee: null,
  pays: 100n,
  recipientId: 'r1',
  bankReference: null,
  createdAt: before,
  changedAt: before,
};

function reported(comparison: Comparison): string {
  return comparison.kind === 'different' ? comparison.difference.kind : comparison.kind;
}

function transfer(mine: Partial<OurTransfer>, bank: Partial<PaymentRecord> | null): string {
  return reported(compareTransfer({ ...ours, ...mine }, bank === null ? null : { ...payment, ...bank }, cutOff));
}

test('a payout is equal to its payment in every end that both can have', () => {
  const back = { refunded: 40n, booked: -10n };
  assert.equal(transfer({}, {}), 'equal');
  // What comes back is ours once it has.
  assert.equal(transfer({}, { state: 'coming_back' }), 'equal');
  assert.equal(transfer({ state: 'returned', ...back }, { state: 'refunded', refunded: 40n }), 'equal');
  assert.equal(transfer({ state: 'failed' }, { state: 'undeliverable' }), 'equal');
  assert.equal(transfer({ state: 'failed', ...back }, { state: 'refunded', refunded: 40n }), 'equal');
  const cancelled = { state: 'cancelled', refunded: 50n, booked: 0n };
  assert.equal(transfer(cancelled, { state: 'cancelled', refunded: 50n }), 'equal');
  const neverSent = { paymentId: null, took: null, booked: 0n };
  for (const state of ['failed', 'cancelled', 'not_created'])
    assert.equal(transfer({ ...neverSent, state }, null), 'equal', state);
});

test('what the bank does not say is not held against it', () => {
  const silent = { pays: null, recipientId: null, taken: null, createdAt: null, changedAt: null };
  assert.equal(transfer({}, silent), 'equal');
  assert.equal(transfer({ recipient: null }, {}), 'equal');
});

test('faults 38: a payment to another recipient is a difference of its own, while it is on its way too', () => {
  assert.equal(transfer({}, { recipientId: 'r2' }), 'transfer_recipient');
  assert.equal(transfer({ state: 'processing' }, { state: 'under_way', recipientId: 'r2' }), 'transfer_recipient');
  assert.equal(transfer({}, { recipientId: 'r2', taken: 51n }), 'transfer_recipient');
  assert.equal(transfer({ recipient: 'unreadable' }, {}), 'transfer_recipient');
});

test('every amount that differs is a difference, by a millionth too', () => {
  assert.equal(transfer({}, { taken: 51n }), 'transfer_amount');
  assert.equal(transfer({}, { pays: 101n }), 'transfer_amount');
  assert.equal(transfer({}, { refunded: 1n }), 'transfer_amount');
  assert.equal(transfer({ refunded: 1n, booked: -49n }, {}), 'transfer_amount');
  assert.equal(transfer({ booked: -49n }, {}), 'transfer_amount');
  assert.equal(transfer({ booked: -100n }, {}), 'transfer_amount');
});

test('an end that the other side does not have is a difference, whichever side is ahead', () => {
  for (const state of ['accepted', 'under_way', 'undeliverable', 'refunded', 'cancelled', 'needs_attention'] as const)
    assert.equal(transfer({}, { state }), 'transfer_state', state);
  for (const state of ['sending', 'pending', 'processing', 'failed', 'cancelled', 'returned', 'not_created'])
    assert.equal(transfer({ state }, {}), 'transfer_state', state);
  // We say that nothing was sent, and the bank has it.
  assert.equal(transfer({ state: 'failed', paymentId: null, took: null, booked: 0n }, {}), 'transfer_state');
  assert.equal(transfer({}, null), 'transfer_missing');
});

test('what changed at the cut-off or later, or is over on neither side, is under way', () => {
  assert.equal(transfer({ changedAt: cutOff }, null), 'in_flight');
  assert.equal(transfer({}, { state: 'refunded', changedAt: cutOff }), 'in_flight');
  for (const state of ['accepted', 'under_way', 'coming_back', 'needs_attention'] as const)
    assert.equal(transfer({ state: 'processing' }, { state }), 'in_flight', state);
  assert.equal(transfer({ state: 'sending', paymentId: null, took: null, booked: 0n }, null), 'in_flight');
});

test('a payment of no order of ours, and a second one of the same order, are told apart, with what they took', () => {
  for (const [payoutId, kind] of [
    [null, 'transfer_unknown'],
    ['p1', 'transfer_doubled'],
  ] as const) {
    const found = judgeStranger({ ...payment, refunded: 20n }, payoutId, cutOff);
    assert(found.kind === 'different');
    assert.deepEqual(
      [found.difference.kind, found.difference.amount, found.difference.relatedId],
      [kind, -30n, payoutId],
    );
  }
  assert.equal(reported(judgeStranger({ ...payment, createdAt: cutOff }, null, cutOff)), 'in_flight');
});

const deposit: OurDeposit = {
  id: 'd1',
  bankDepositId: 'b1',
  state: 'credited',
  net: 70n,
  reversed: null,
  booked: 70n,
  listedAt: before,
  changedAt: before,
};

const listed: ListedDeposit = {
  depositId: 'b1',
  listedAt: before,
  bankState: 'payment_processed',
  isProcessed: true,
  isRefunded: false,
  needsAttention: false,
  sentPence: null,
  net: 70n,
  takenBack: null,
  fee: null,
  sender: null,
  changedAt: before,
};

function top(mine: Partial<OurDeposit> | null, bank: Partial<ListedDeposit> | null): string {
  const [own, theirs] = [mine === null ? null : { ...deposit, ...mine }, bank === null ? null : { ...listed, ...bank }];
  return reported(compareDeposit(own, theirs, cutOff));
}

test('a deposit is equal to what the bank says of it in every end that both can have', () => {
  assert.equal(top({}, {}), 'equal');
  assert.equal(top({ state: 'reversed', reversed: 70n, booked: 0n }, { isRefunded: true, takenBack: 70n }), 'equal');
  const never = { isProcessed: false, isRefunded: true, net: null };
  assert.equal(top({ state: 'refunded', net: null, booked: 0n }, never), 'equal');
  assert.equal(top(null, never), 'equal');
  assert.equal(top({ state: 'pending', net: null, booked: 0n }, { isProcessed: false, net: null }), 'in_flight');
  assert.equal(top({}, { net: null }), 'equal');
});

test('a deposit that one side lacks, or has otherwise, is a difference; one that changed since the cut-off is under way', () => {
  assert.equal(top({}, null), 'deposit_missing');
  assert.equal(top(null, {}), 'deposit_unknown');
  assert.equal(top({ state: 'pending', net: null, booked: 0n }, {}), 'deposit_state');
  assert.equal(top({}, { isRefunded: true, takenBack: 70n }), 'deposit_state');
  assert.equal(top({}, { net: 71n }), 'deposit_amount');
  assert.equal(top({ booked: 140n }, {}), 'deposit_amount');
  for (const late of [{ changedAt: cutOff }])
    assert.deepEqual([top(late, null), top(null, late), top(late, {}), top({}, late)], Array(4).fill('in_flight'));
});
