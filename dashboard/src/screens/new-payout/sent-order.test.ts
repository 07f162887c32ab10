import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf, findSentOrder, forgetSentOrder, rememberSentOrder } from './sent-order.ts';
import { emptyDraft, orderFrom } from './order.ts';

const scope = { account: 'a', environment: 'live' };
const draft = { ...emptyDraft, amount: '25', firstName: 'Grace', lastName: 'Hopper', accountNumber: '12345678' };

function memory() {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  };
}

test('what was sent is found again in its own account and environment, and in no other', () => {
  const tab = memory();
  const sent = { key: 'dashboard-1', digest: 'ab', sentAtMs: 5 };
  rememberSentOrder(tab, scope, sent);
  assert.deepEqual(findSentOrder(tab, scope), sent);
  assert.equal(findSentOrder(tab, { ...scope, account: 'b' }), undefined);
  assert.equal(findSentOrder(tab, { ...scope, environment: 'sandbox' }), undefined);
});

test('a late answer of one order does not make another one forgotten', () => {
  const tab = memory();
  rememberSentOrder(tab, scope, { key: 'dashboard-2', digest: 'ab', sentAtMs: 5 });
  forgetSentOrder(tab, scope, 'dashboard-1');
  assert.equal(findSentOrder(tab, scope)?.key, 'dashboard-2');
  forgetSentOrder(tab, scope, 'dashboard-2');
  assert.equal(findSentOrder(tab, scope), undefined);
});

test('what is remembered holds no name and no account number', async () => {
  const tab = memory();
  const key = 'dashboard-1';
  rememberSentOrder(tab, scope, { key, digest: await digestOf(orderFrom(draft), key), sentAtMs: 5 });
  const text = [...tab.kept].join(' ');
  for (const secret of ['Grace', 'Hopper', '12345678', '25.00']) assert.ok(!text.includes(secret), secret);
});

test('orders that differ in anything have other digests, and the same order has the same', async () => {
  const first = await digestOf(orderFrom(draft), 'dashboard-1');
  assert.equal(await digestOf(orderFrom({ ...draft, amount: '25.00' }), 'dashboard-1'), first);
  assert.notEqual(await digestOf(orderFrom({ ...draft, amount: '25.01' }), 'dashboard-1'), first);
  assert.notEqual(await digestOf(orderFrom({ ...draft, line2: 'Flat 2' }), 'dashboard-1'), first);
  assert.notEqual(await digestOf(orderFrom(draft), 'dashboard-2'), first);
});
