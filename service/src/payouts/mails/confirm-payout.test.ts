import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNamesAreWords, assertWellSet, hostileName, rendered } from '../../../test/platform/mail/well-set.ts';
import { confirmPayoutMail } from './confirm-payout.ts';

const payout = {
  code: '482915',
  businessName: 'Tideway Coffee Ltd',
  amount: 1_234_567n,
  recipientName: 'Ada Lovelace',
  accountLast4: '5678',
  reference: 'Invoice 42',
};

test('a code for a payout says who pays, the amount and the name once more, and how long it is good for', () => {
  const mail = rendered(confirmPayoutMail(payout));
  assertWellSet(mail);
  assert.match(mail.text, /^Use this code to pay £12,345\.67 to Ada Lovelace\sfrom\sTideway\sCoffee\sLtd\./);
  assert.match(mail.text, /5\sminutes/);
  for (const line of [
    '    482915',
    'From: Tideway Coffee Ltd',
    'Amount: £12,345.67',
    'Recipient: Ada Lovelace',
    'Account: ending in 5678',
  ])
    assert(mail.text.includes(`\n${line}\n`), line);
  assert.match(mail.text, /^Reference: Invoice 42$/m);
  const without = rendered(confirmPayoutMail({ ...payout, reference: null }));
  assertWellSet(without);
  assert.doesNotMatch(without.text, /Reference/);
});

test('amounts are shown in groups of three digits', () => {
  const shown = ([5n, 100_000n, 100_000_000n] as const).map((amount) => {
    const [found = ''] = /£[\d.,]*\d/.exec(rendered(confirmPayoutMail({ ...payout, amount })).text) ?? [];
    return found;
  });
  assert.deepEqual(shown, ['£0.05', '£1,000.00', '£1,000,000.00']);
});

test('what a locked screen shows of it does not hold the code', () => {
  const { subject, text } = rendered(confirmPayoutMail(payout));
  assert.doesNotMatch(`${subject} ${text.slice(0, 80)}`, /\d{6}/);
});

test('faults 55: a name or a reference is words, whatever is in it', () => {
  assertNamesAreWords(rendered(confirmPayoutMail({ ...payout, recipientName: hostileName })));
  assertNamesAreWords(rendered(confirmPayoutMail({ ...payout, reference: hostileName })));
  assertNamesAreWords(rendered(confirmPayoutMail({ ...payout, businessName: hostileName })));
});
