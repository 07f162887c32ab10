import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countDaysLeft, daysLeft, wholeDays } from './days-left.ts';

const none = { paid_gbp: '0.00' };

test('the wallet lasts as long as the pace since the first payout says', () => {
  assert.equal(countDaysLeft('1000.00', [none, none, { paid_gbp: '100.00' }, { paid_gbp: '300.00' }]), 5);
  assert.equal(countDaysLeft('50.00', [{ paid_gbp: '100.00' }]), 0);
});

test('nothing is said about a wallet that has paid nobody', () => {
  assert.equal(daysLeft('1000.00', [none, none]), undefined);
});

test('days are said in words that fit their number', () => {
  assert.equal(daysLeft('150.00', [{ paid_gbp: '100.00' }]), 'Enough for about 1 day at your recent pace');
  assert.equal(daysLeft('50.00', [{ paid_gbp: '100.00' }]), 'Enough for less than a day at your recent pace');
  assert.equal(daysLeft('9999999.00', [{ paid_gbp: '1.00' }]), 'Enough for over a year at your recent pace');
});

function day(date: string, paid: string) {
  return { date, completed: 1, paid_gbp: paid, failed: 0 };
}

test('a day that is not wholly counted, or not over, says nothing of the pace', () => {
  const days = [day('2026-11-13', '1.00'), day('2026-11-14', '100.00'), day('2026-11-15', '4.00')];
  const cut = { object: 'list' as const, data: days, counted_since: '2026-11-13T18:00:00.000Z' };
  assert.equal(countDaysLeft('1000.00', wholeDays(cut)), 10);
  assert.equal(countDaysLeft('1000.00', wholeDays({ ...cut, data: days.slice(0, 2) })), undefined);
  assert.equal(countDaysLeft('1050.00', wholeDays({ ...cut, counted_since: null })), 30);
});
