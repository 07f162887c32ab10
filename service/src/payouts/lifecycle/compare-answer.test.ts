import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOfDifference, differingFields, isOnlySearched } from './compare-answer.ts';

const payout = { orderId: 'o1', amount: 10_000n };
const right = { ourReference: 'o1', pays: 10_000n, recipientId: 'r1' };

test('an answer about this order, its amount and the recipient that it named differs in nothing', () => {
  assert.deepEqual(differingFields(payout, right, 'r1'), []);
});

test('what the bank does not say, or we do not know, is no difference', () => {
  const silent = { ourReference: null, pays: null, recipientId: null };
  assert.deepEqual(differingFields(payout, silent, 'r1'), []);
  assert.deepEqual(differingFields(payout, right, null), []);
});

for (const [change, field] of [
  [{ ourReference: 'o2' }, 'reference'],
  [{ pays: 9_999n }, 'amount'],
  [{ recipientId: 'r2' }, 'recipient account'],
] as const) {
  test(`faults 38: an answer with another ${field} differs in that, and the case does not say what it is`, () => {
    const fields = differingFields(payout, { ...right, ...change }, 'r1');
    assert.deepEqual(fields, [field]);
    const { detail } = caseOfDifference({ id: 't1' }, fields);
    assert.equal(detail, `what the bank says of payment t1 has another ${field}`);
  });
}

test('all that differs is named', () => {
  const other = { ourReference: 'o2', pays: 1n, recipientId: 'r2' };
  assert.deepEqual(differingFields(payout, other, 'r1'), ['reference', 'amount', 'recipient account']);
});

test('an order whose answer differed, or that can not be sent again as it was, is searched for and not sent again', () => {
  assert.deepEqual(
    ['answer_differs', 'not_sendable', 'pending', null].map((bankState) => isOnlySearched({ bankState })),
    [true, true, false, false],
  );
});
