import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStillHeld, lineLabel } from './ledger-labels.ts';

test('fees, bank charges and their refunds have labels of their own', () => {
  const labels = (
    [
      ['out', 'charge.payout_fees'],
      ['in', 'charge.payout_fees'],
      ['out', 'charge.bank_exceptions'],
      ['in', 'charge.bank_exceptions'],
      ['in', 'credit.payout_fees'],
      ['out', 'charge.of_later'],
    ] as const
  ).map(([direction, reason]) => lineLabel({ account: 'invoice', direction, reason }));
  assert.deepEqual(labels, [
    'Fee added to invoice',
    'Fee refunded',
    'Bank charge added to invoice',
    'Bank charge refunded',
    'Fee credited to the next invoice',
    'Added to invoice',
  ]);
});

test('the money of a failed payout is held until the ledger shows that it came back', () => {
  const out = { account: 'wallet', direction: 'out', amount: '31.90' } as const;
  const fee = { account: 'invoice', direction: 'in', amount: '50.00' } as const;
  assert.equal(isStillHeld([out, fee]), true);
  assert.equal(isStillHeld([out, { ...out, direction: 'in' }, fee]), false);
  assert.equal(isStillHeld([]), false);
});
