import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updateWalletAlert, type WalletAlert } from './wallet-alert.ts';

const threshold = 1_000n;
const minuteMs = 60_000;
const dayMinutes = 24 * 60;

/** Looks each minute at a wallet that holds what it is given, and says in which minutes its partner was told. */
function notifyFor(balances: readonly bigint[]): number[] {
  let alert: WalletAlert = { lowSince: null, notifiedAt: null, threshold };
  return balances.flatMap((balance, minute) => {
    const followed = updateWalletAlert({ balance, threshold }, alert, new Date(minute * minuteMs));
    ({ alert } = followed);
    assert.equal(alert.lowSince !== null, balance < threshold, 'whether it is low is what it is');
    return followed.isNews ? [minute] : [];
  });
}

test('a wallet that stays low is told of once', () => {
  assert.deepEqual(notifyFor([1_000n, ...Array<bigint>(3 * dayMinutes).fill(999n)]), [1]);
});

test('a wallet that goes up and down about its threshold for three days is told of once a day', () => {
  const hovering = Array.from({ length: 3 * dayMinutes }, (_, minute) => (minute % 2 === 0 ? 999n : 1_099n));
  assert.deepEqual(notifyFor(hovering), [0, dayMinutes, 2 * dayMinutes]);
});

test('one that was a tenth above its threshold meanwhile is told of at once', () => {
  assert.deepEqual(notifyFor([999n, 1_099n, 999n, 1_100n, 1_050n, 999n, 998n]), [0, 5]);
});

test('one that fell again within the day, and stays low, is told of when the day is over', () => {
  const balances = [999n, 1_000n, ...Array<bigint>(2 * dayMinutes).fill(999n)];
  assert.deepEqual(notifyFor(balances), [0, dayMinutes]);
});

test('another threshold is another reason to tell, at once', () => {
  const at = new Date(minuteMs);
  const reported = { lowSince: new Date(0), notifiedAt: new Date(0), threshold };
  const { alert, isNews } = updateWalletAlert({ balance: 999n, threshold: 2_000n }, reported, at);
  assert.deepEqual([isNews, alert], [true, { lowSince: new Date(0), notifiedAt: at, threshold: 2_000n }]);
});
