import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNamesAreWords, assertWellSet, hostileName, rendered } from '../../../test/platform/mail/well-set.ts';
import { depositCreditedMail } from './deposit-credited.ts';
import { depositReversedMail } from './deposit-reversed.ts';
import { walletLowMail } from './wallet-low.ts';

const dashboardUrl = 'https://dashboard.kelpie.example';
const partnerEnvironment = { business: 'Tideway', environment: 'live', dashboardUrl } as const;

const credited = {
  ...partnerEnvironment,
  method: 'bank_transfer',
  amount: 12_469_000_000n,
  repaid: 0n,
  sentPence: 1_000_000n,
  fee: 31_250_000n,
  rate: 800_000n,
  senderName: 'Ada Byron',
} as const;

test('a deposit that was credited says how much can be paid with, from whom, at which rate and for which fee', () => {
  const mail = rendered(depositCreditedMail(credited));
  assertWellSet(mail);
  assert(mail.text.startsWith('We added 12,469.00 USDC to the live wallet of Tideway'), mail.text);
  for (const fact of ['From: Ada Byron', 'Sent: £10,000.00', 'Exchange rate: 1 USDC = £0.80', 'Bank fee: 31.25 USDC'])
    assert(mail.text.includes(fact), fact);
  assert.doesNotMatch(mail.text, /owed/);
  assert(mail.text.includes('\nView top-ups\nhttps://dashboard.kelpie.example/live/deposits\n'), mail.text);
});

test('what of it went to what was owed is not called arrived', () => {
  const mail = rendered(
    depositCreditedMail({
      ...credited,
      repaid: 469_000_000n,
      senderName: null,
      sentPence: null,
      rate: null,
    }),
  );
  assertWellSet(mail);
  assert(mail.text.startsWith('We added 12,000.00 USDC'), mail.text);
  assert.match(mail.text, /Used to repay what you owed: 469\.00 USDC/);
});

test('a deposit that was all used for what was owed does not say that money can be paid with', () => {
  const mail = rendered(depositCreditedMail({ ...credited, repaid: credited.amount }));
  assertWellSet(mail);
  assert.equal(mail.subject, 'Your live top-up of 12,469.00 USDC went towards what you owed');
  assert.match(mail.text.replaceAll(/\s+/g, ' '), /Nothing was added to the live wallet\./);
  assert.doesNotMatch(mail.text, /payouts now/);
});

test('a deposit that was taken back says what the wallet holds less, or what is owed', () => {
  const held = rendered(depositReversedMail({ ...partnerEnvironment, amount: 100_000_000n, owed: 0n }));
  assertWellSet(held);
  assert.match(held.text, /We took 100\.00 USDC from the wallet/);
  const spent = rendered(depositReversedMail({ ...partnerEnvironment, amount: 100_000_000n, owed: 40_000_000n }));
  assertWellSet(spent);
  assert.match(spent.text.replaceAll(/\s+/g, ' '), /you owe us 40\.00 USDC/);
});

test('a wallet that runs low says how much is left, and what was asked for', () => {
  const mail = rendered(walletLowMail({ ...partnerEnvironment, balance: 499_999_999n, threshold: 500_000_000n }));
  assertWellSet(mail);
  assert.match(mail.text.replaceAll(/\s+/g, ' '), /holds 499\.99 USDC, below your low-balance alert of 500\.00 USDC/);
});

test('faults 55: names are words, whatever is in them', () => {
  const hostile = { ...partnerEnvironment, business: hostileName };
  assertNamesAreWords(rendered(depositCreditedMail({ ...credited, ...hostile, senderName: hostileName })));
  assertNamesAreWords(rendered(depositReversedMail({ ...hostile, amount: 1n, owed: 0n })));
  assertNamesAreWords(rendered(walletLowMail({ ...hostile, balance: 0n, threshold: 1n })));
});

test('each is well set without a link, too', () => {
  const without = { ...partnerEnvironment, dashboardUrl: null };
  assertWellSet(rendered(depositCreditedMail({ ...credited, ...without })));
  assertWellSet(rendered(depositReversedMail({ ...without, amount: 1n, owed: 1n })));
  assertWellSet(rendered(walletLowMail({ ...without, balance: 0n, threshold: 1n })));
});
