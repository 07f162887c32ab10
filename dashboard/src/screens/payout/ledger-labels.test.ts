import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStillHeld, lineLabel } from './ledger-labels.ts';

test('a charge is not called a fee, nor what was given back a fee that was dropped', () => {
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
    'Fee put on the invoice',
    'Fee given back',
    'Charge of the bank, put on the invoice',
    'Charge taken back',
    'Fee given back, as a credit',
    'Put on the invoice',
  ]);
});

test('the money of a failed payout is held until the ledger shows that it came back', () => {
  const out = { account: 'wallet', direction: 'out', amount: '31.90' } as const;
  const fee = { account: 'invoice', direction: 'in', amount: '50.00' } as const;
  assert.equal(isStillHeld([out, fee]), true);
  assert.equal(isStillHeld([out, { ...out, direction: 'in' }, fee]), false);
  assert.equal(isStillHeld([]), false);
});
