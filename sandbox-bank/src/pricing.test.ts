import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPounds, formatUsdc, parsePounds } from './money.ts';
import { priceTransfer } from './pricing.ts';

test('the fee is rounded half up to the penny, and what is taken up to a cent', () => {
  // 1.00: 0.50 + 0.005, up to 0.51; 1.51 / 0.79 = 1.9113…
  assert.equal(priceTransfer(100n).takenMicroUsdc, 1_920_000n);
  // 0.99: 0.50 + 0.00495, down to 0.50; 1.49 / 0.79 = 1.8860…
  assert.equal(priceTransfer(99n).takenMicroUsdc, 1_890_000n);
  // 785.57: 0.50 + 3.92785, up to 4.43; 790.00 / 0.79 is 1000.00 exactly, and stays so.
  assert.equal(priceTransfer(78_557n).takenMicroUsdc, 1_000_000_000n);
});

test('amounts are read and written without a float in between', () => {
  assert.deepEqual(['850.00', '850', '0.5', '.5', '1.001', '-1.00', '1e3', ' 1'].map(parsePounds), [
    85_000n,
    85_000n,
    50n,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  assert.deepEqual([5n, 85_000n].map(formatPounds), ['0.05', '850.00']);
  assert.deepEqual([0n, 1n, 100_000n, 1_081_970_000n, -13_350_001n].map(formatUsdc), [
    '0.00',
    '0.000001',
    '0.10',
    '1081.97',
    '-13.350001',
  ]);
});
