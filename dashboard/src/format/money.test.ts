import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountFrom,
  penceOf,
  formatMicroPounds,
  formatExactUsdc,
  formatMovement,
  formatPounds,
  formatRate,
  formatUsdc,
} from './money.ts';

test('an amount is shown to the penny, however large', () => {
  assert.equal(formatPounds('1234.50'), '£1,234.50');
  assert.equal(formatPounds('12345678901234567.89'), '£12,345,678,901,234,567.89');
  assert.equal(formatUsdc('10000.00'), '10,000.00 USDC');
});

test('what a person types as an amount is read as it is meant, or not at all', () => {
  const read = ['25', '25.5', '1,234.56', '£3', ' 007.10 '].map(amountFrom);
  assert.deepEqual(read, ['25.00', '25.50', '1234.56', '3.00', '7.10']);
  for (const typed of ['', '1.234', '1,23', '-5', '1e3', '12,34.00', 'ten']) assert.equal(amountFrom(typed), undefined);
});

test('amounts are compared in whole pence', () => {
  assert.equal(penceOf('20000.00'), 2_000_000n);
  assert.equal(penceOf('nonsense'), 0n);
});

test('a part of a penny is shown where there is one, and no more decimals than there are', () => {
  assert.equal(formatMicroPounds(21_300), '£0.0213');
  assert.equal(formatMicroPounds(1_234_500_000), '£1,234.50');
  assert.equal(formatExactUsdc('9967.550000'), '9,967.55');
  assert.equal(formatExactUsdc('0.000001'), '0.000001');
});

test('a rate says what one USDC is worth, with at least two decimals', () => {
  assert.equal(formatRate(0.79), '1 USDC = £0.79');
  assert.equal(formatRate(0.8), '1 USDC = £0.80');
  assert.equal(formatRate(0.787654), '1 USDC = £0.787654');
});

test('a movement shows its sign', () => {
  assert.equal(formatMovement('-126.590000'), '−126.59');
  assert.equal(formatMovement('10000.000000'), '+10,000.00');
});
