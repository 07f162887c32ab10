import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Payout } from '@kelpie/sdk';
import { csvOf } from './csv.ts';

const payout: Payout = {
  id: '01999999-aaaa-7bbb-8ccc-ddddeeeeffff',
  object: 'payout',
  idempotency_key: 'order-42',
  environment: 'sandbox',
  status: 'completed',
  reference: 'Order "42", final',
  bank_reference: 'Order 42 final',
  country: 'GB',
  amount_gbp: '25.00',
  fee_gbp: '1.24',
  wallet_sent_usdc: '32.44',
  recipient: { name: '=HYPERLINK("https://evil.example")', account_last4: '0001' },
  failure_code: null,
  failure_reason: null,
  created_at: '2026-11-15T12:00:00.000Z',
  updated_at: '2026-11-15T12:00:03.000Z',
  created_via: 'api',
};

test('a payout is a line, with what a comma or a quote would break set in quotes', () => {
  const [head, line, end] = csvOf([payout]).split('\r\n');
  assert.match(head ?? '', /^id,created_at,status,recipient,/);
  assert.match(line ?? '', /,25\.00,1\.24,32\.44,"Order ""42"", final",Order 42 final,,api,/);
  assert.equal(end, '');
});

test('a name that begins like a formula is none in a spreadsheet', () => {
  assert.match(csvOf([payout]), /,"'=HYPERLINK\(""https/);
});

/** What OWASP lists, in full width too. */
const formulaStarts = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
/** What a spreadsheet may skip before it. */
const hiddenStarts = [' =', '\u{a0}=', '\u{200b}=', '\u{feff}=', '\u{0}=', "'=", "'' ="];

for (const begin of [...formulaStarts, ...hiddenStarts]) {
  test(`a name that begins with ${JSON.stringify(begin)} gets an apostrophe, inside quotes`, () => {
    const file = csvOf([{ ...payout, recipient: { ...payout.recipient, name: `${begin}1+1` } }]);
    assert.ok(file.includes(`,completed,"'${begin}1+1",0001,`), JSON.stringify(file));
  });
}

test('a name that only looks like a formula further on, or begins with an apostrophe, stays as it is', () => {
  for (const name of ['Ada = Byron', "'Tis Ltd", 'Ada-Lovelace', '3-2-1 Ltd'])
    assert.ok(
      csvOf([{ ...payout, recipient: { ...payout.recipient, name } }]).includes(`,completed,${name},0001,`),
      name,
    );
});

test('spaces at the end of a text are kept by quotes', () => {
  assert.ok(
    csvOf([{ ...payout, recipient: { ...payout.recipient, name: 'Ada ' } }]).includes(',completed,"Ada ",0001,'),
  );
});
