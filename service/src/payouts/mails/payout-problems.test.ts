import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNamesAreWords, assertWellSet, hostileName, rendered } from '../../../test/platform/mail/well-set.ts';
import { payoutProblemsMail, type PayoutProblem } from './payout-problems.ts';

const problem: PayoutProblem = {
  payoutId: '01a1e153-2cfd-70e5-b356-495cbe018dac',
  kind: 'failed',
  amount: 120_00n,
  recipientName: 'Grace Hopper',
  reference: 'INV-2041',
  reason: "The recipient's account is closed.",
  isHeld: false,
};
const digest = {
  business: 'Tideway Coffee Ltd',
  environment: 'live',
  problems: [problem],
  total: 1,
  dashboardUrl: 'https://dashboard.kelpie.example',
} as const;

for (const { kind, subject, money } of [
  { kind: 'failed', subject: 'Your live payout of £120.00 to Grace Hopper failed', money: /is back in your wallet/ },
  { kind: 'returned', subject: 'Your live payout of £120.00 to Grace Hopper was returned', money: /is in your wallet/ },
  {
    kind: 'stuck',
    subject: 'Your live payout of £120.00 to Grace Hopper is delayed',
    money: /Do not send this payout again/,
  },
] as const) {
  test(`one payout that is ${kind} is named, with where its money is`, () => {
    const mail = rendered(payoutProblemsMail({ ...digest, problems: [{ ...problem, kind }] }));
    assertWellSet(mail);
    assert.equal(mail.subject, subject);
    const words = mail.text.replaceAll(/\s+/g, ' ');
    assert.match(words, money);
    assert.match(words, /Account: Tideway Coffee Ltd .*Reference: INV-2041 .*View payout https:/);
  });
}

test('a failed payout whose money is still on hold says so', () => {
  const mail = rendered(payoutProblemsMail({ ...digest, problems: [{ ...problem, isHeld: true }] }));
  assert.match(mail.text.replaceAll(/\s+/g, ' '), /on hold until the bank refunds it/);
});

test('a returned payout whose amount is in question does not say that the money is in the wallet', () => {
  const returned = { ...problem, kind: 'returned', isHeld: true } as const;
  const mail = rendered(payoutProblemsMail({ ...digest, problems: [returned] }));
  assert.match(mail.text.replaceAll(/\s+/g, ' '), /an unexpected amount\. We are checking it with the bank\./);
});

test('several payouts are one list, and what it leaves out is counted', () => {
  const problems = [problem, { ...problem, kind: 'stuck', reason: null, reference: null } as const];
  const mail = rendered(payoutProblemsMail({ ...digest, environment: 'sandbox', problems, total: 31 }));
  assertWellSet(mail);
  assert.equal(mail.subject, '31 sandbox payouts need your attention');
  assert.match(mail.text, /^31 sandbox payouts of Tideway Coffee Ltd failed, were returned or are\sdelayed\./);
  assert.match(mail.text, /^Failed: £120\.00 to Grace Hopper$/m);
  assert.match(mail.text, /^Delayed: £120\.00 to Grace Hopper$/m);
  assert.match(mail.text, /^And 29 more\.$/m);
});

test('each is well set without links, too', () => {
  const without = { ...digest, dashboardUrl: null };
  assertWellSet(rendered(payoutProblemsMail(without)));
  assertWellSet(rendered(payoutProblemsMail({ ...without, problems: [problem, problem], total: 2 })));
});

test('faults 55: a name or a reference is words, whatever is in it', () => {
  const hostile = { ...problem, recipientName: hostileName };
  assertNamesAreWords(rendered(payoutProblemsMail({ ...digest, problems: [hostile] })));
  assertNamesAreWords(rendered(payoutProblemsMail({ ...digest, problems: [hostile, problem], total: 2 })));
  const other = { ...problem, reference: hostileName };
  assertNamesAreWords(rendered(payoutProblemsMail({ ...digest, problems: [other, problem], total: 2 })));
});
