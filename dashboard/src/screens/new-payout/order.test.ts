import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  draftFor,
  emptyDraft,
  mistakesFrom,
  mistakesOf,
  orderFrom,
  progressOf,
  shapeAccountNumber,
  shapeSortCode,
  type Draft,
} from './order.ts';

const limits = { min: '1.00', max_per_payout: '20000.00' };
const draft: Draft = {
  ...emptyDraft,
  amount: '1,200.5',
  reference: ' Order 42 ',
  firstName: 'Ada',
  lastName: 'Byron',
  sortCode: '04-00-04',
  accountNumber: '12345678',
  bankName: 'Example Bank',
  line1: '1 High Street',
  city: 'Leeds',
  postalCode: 'LS1 1AA',
};

test('a draft without mistakes becomes the order that the API takes', () => {
  assert.deepEqual(mistakesOf(draft, limits), {});
  assert.deepEqual(orderFrom(draft), {
    amount_gbp: '1200.50',
    reference: 'Order 42',
    recipient: {
      type: 'individual',
      first_name: 'Ada',
      last_name: 'Byron',
      address: { line1: '1 High Street', city: 'Leeds', postal_code: 'LS1 1AA' },
      bank: { bank_name: 'Example Bank', sort_code: '040004', account_number: '12345678' },
    },
  });
});

test('every mistake is found at once, beside its field', () => {
  assert.deepEqual(Object.keys(mistakesOf(emptyDraft, limits)).toSorted(), [
    'accountNumber',
    'amount',
    'bankName',
    'city',
    'firstName',
    'lastName',
    'line1',
    'postalCode',
    'sortCode',
  ]);
});

test('an amount outside the limits is refused before it is sent', () => {
  assert.match(mistakesOf({ ...draft, amount: '0.99' }, limits).amount ?? '', /Minimum £1\.00/);
  assert.match(mistakesOf({ ...draft, amount: '20000.01' }, limits).amount ?? '', /Maximum £20,000\.00/);
});

test('a sort code takes its shape while it is typed', () => {
  assert.deepEqual(['0', '0400', '04 00 04', '040-004'].map(shapeSortCode), ['0', '04-00', '04-00-04', '04-00-04']);
  assert.equal(shapeAccountNumber('1234 5678'), '12345678');
});

test('what is pasted is never cut in silence: what is too much stays, is told, and is not taken for right', () => {
  assert.equal(shapeSortCode('04-00-0499'), '04-00-04-99');
  assert.equal(shapeAccountNumber('04-00-04 12345678'), '04000412345678');
  const both = { ...draft, accountNumber: shapeAccountNumber('04-00-04 12345678'), sortCode: '04-00-04-99' };
  assert.equal(progressOf('accountNumber', both.accountNumber), '14 of 8 digits');
  assert.equal(mistakesOf(both, limits).accountNumber, 'Enter 8 digits. You entered 14.');
  assert.equal(mistakesOf(both, limits).sortCode, 'Enter 6 digits. You entered 8.');
  assert.equal(mistakesOf({ ...draft, firstName: 'x'.repeat(81) }, limits).firstName, 'Use at most 80 characters.');
});

test('an IBAN is told to be one, and no number is made of its digits', () => {
  const iban = shapeAccountNumber('GB29NWBK60161331926819');
  assert.equal(iban, 'GB29NWBK60161331926819');
  assert.match(progressOf('accountNumber', iban) ?? '', /IBAN/);
  assert.match(mistakesOf({ ...draft, accountNumber: iban }, limits).accountNumber ?? '', /IBAN/);
  // Eight digits among letters are no account number either.
  assert.match(mistakesOf({ ...draft, accountNumber: 'a12345678' }, limits).accountNumber ?? '', /digits only/);
});

test('what the API says of a field stands beside that field', () => {
  assert.deepEqual(mistakesFrom([{ path: 'recipient.bank.sort_code', rule: 'must be 6 digits' }]), {
    sortCode: 'It must be 6 digits.',
  });
});

test('who is paid again is known by name, and by nothing that could pay the wrong account', () => {
  const again = draftFor({ name: 'Ada King Byron', accountLast4: '5678' }, null);
  assert.deepEqual([again.firstName, again.lastName, again.accountNumber], ['Ada King', 'Byron', '']);
});

test('a payout that is repeated fills in everything but the account', () => {
  const copied = draftFor(
    { payoutId: 'p1', name: 'Ada Byron', accountLast4: '5678' },
    {
      payout: { amount_gbp: '25.00', reference: 'Order 42' },
      recipient: {
        object: 'payout_recipient',
        payout_id: 'p1',
        type: 'individual',
        first_name: 'Ada',
        last_name: 'Byron',
        email: null,
        address: { line1: '1 High Street', line2: null, city: 'Leeds', region: 'Leeds', postal_code: 'LS1 1AA' },
        bank: { bank_name: 'Example Bank', account_last4: '5678' },
      },
    },
  );
  const { sortCode, accountNumber, ...rest } = draft;
  assert.deepEqual(copied, { ...rest, amount: '25.00', reference: 'Order 42', sortCode: '', accountNumber: '' });
  assert.notDeepEqual([sortCode, accountNumber], ['', '']);
});

test('a number says how far it is while it is typed', () => {
  assert.equal(progressOf('sortCode', ''), undefined);
  assert.equal(progressOf('sortCode', '04-00'), '4 of 6 digits');
  assert.equal(progressOf('sortCode', '04-00-04'), undefined);
  assert.equal(progressOf('accountNumber', '1234567'), '7 of 8 digits');
});
