import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { formatPounds, formatUsdc, parsePounds } from './amounts.ts';
import { payoutCost, standardPayoutPrices } from './fees.ts';
import { cautiousRate, parseRate, poundsForUsdc, rateAsNumber, usdcForPounds } from './rates.ts';

const pence = fc.bigInt(100n, 2_000_000n);
const rates = fc.bigInt(1n, 3_000_000n);
const runs = { numRuns: 20_000 };

test('every amount of pence is written and read back as itself', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 17n), (amount) => {
      assert.match(formatPounds(amount), /^\d+\.\d{2}$/);
      assert.equal(parsePounds(formatPounds(amount)), amount);
    }),
    runs,
  );
});

test('what is not pounds with two decimals is not read', () => {
  for (const text of [
    '',
    '1',
    '1.0',
    '1.000',
    '-1.00',
    '+1.00',
    '1e3',
    ' 1.00',
    '1.00\n',
    '１.００',
    'NaN',
    '.50',
    '1,00',
    '9'.repeat(30) + '.00',
  ]) {
    assert.equal(parsePounds(text), undefined, text);
  }
  assert.equal(parsePounds('007.00'), 700n);
});

test('the fee is 0.99 and one per cent, half a penny up', () => {
  const fees = [
    ['100.00', '1.99'],
    ['1.00', '1.00'],
    ['20000.00', '200.99'],
    ['33.33', '1.32'],
    ['50.50', '1.50'],
    ['10.49', '1.09'],
    ['999.99', '10.99'],
    ['12.34', '1.11'],
  ];
  for (const [amount = '', fee] of fees) {
    assert.equal(formatPounds(payoutCost(parsePounds(amount) ?? 0n, 790_000n, standardPayoutPrices).fee), fee);
  }
});

test('the two parts of a fee are never negative and always sum to it', () => {
  fc.assert(
    fc.property(pence, rates, (amount, rate) => {
      const { fee, providerFee, invoiceShare } = payoutCost(amount, rate, standardPayoutPrices);
      assert.equal(providerFee + invoiceShare, fee);
      assert(providerFee >= 0n && invoiceShare >= 0n);
    }),
    runs,
  );
});

test('the fee is within half a penny of the exact price', () => {
  fc.assert(
    fc.property(pence, (amount) => {
      // In hundredths of a penny, where one per cent of an amount is exact.
      const exact = 9_900n + amount;
      const error = payoutCost(amount, 790_000n, standardPayoutPrices).fee * 100n - exact;
      assert(error > -50n && error <= 50n, `${error}`);
    }),
    runs,
  );
});

test('the wallet sends enough, and less than a cent more than enough', () => {
  fc.assert(
    fc.property(pence, rates, (amount, rate) => {
      const { providerFee, walletDebit } = payoutCost(amount, rate, standardPayoutPrices);
      assert.equal(walletDebit % 10_000n, 0n);
      const neededTimesRate = (amount + providerFee) * 1_000_000n;
      const cents = walletDebit / 10_000n;
      assert(cents * rate >= neededTimesRate && (cents - 1n) * rate < neededTimesRate);
    }),
    runs,
  );
});

test('what is shown of a balance is never more than there is, in USDC and in pounds', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 14n), rates, (amount, rate) => {
      const shown = parsePounds(formatUsdc(amount)) ?? -1n;
      assert(shown * 10_000n <= amount && amount - shown * 10_000n < 10_000n);
      const pounds = poundsForUsdc(amount, rate);
      assert(pounds * 1_000_000n <= shown * rate && (pounds + 1n) * 1_000_000n > shown * rate);
    }),
    runs,
  );
});

test('what the shown balance is worth can be sent from it', () => {
  fc.assert(
    fc.property(fc.bigInt(1_000_000n, 10n ** 12n), rates, (amount, rate) => {
      assert(usdcForPounds(poundsForUsdc(amount, rate), rate) <= amount);
    }),
    runs,
  );
});

test('a rate is truncated to six places, and nothing else is a rate', () => {
  assert.equal(parseRate('0.79'), 790_000n);
  assert.equal(parseRate('0.7912349999'), 791_234n);
  assert.equal(parseRate('1'), 1_000_000n);
  for (const text of ['', '0', '0.0000009', '-0.79', '0,79', '1e0', 'NaN', '.79'])
    assert.equal(parseRate(text), undefined, text);
  assert.equal(cautiousRate([800_000n, 790_000n]), 790_000n);
  assert.equal(rateAsNumber(790_000n), 0.79);
  fc.assert(
    fc.property(rates, (rate) => BigInt(Math.round(rateAsNumber(rate) * 1e6)) === rate),
    runs,
  );
});

test('a new sandbox wallet of 10,000.00 USDC shows about 7,900.00 pounds', () => {
  assert.equal(formatPounds(poundsForUsdc(10_000_000_000n, 790_000n)), '7900.00');
});
