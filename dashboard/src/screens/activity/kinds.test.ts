import type { ActivityEntry } from '@kelpie/sdk';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits } from './kinds.ts';

function entry(by: string, action: string, status: number | null): ActivityEntry {
  const at = '2026-11-15T12:00:00.000Z';
  return { request_id: null, at, action, detail: null, status, by, environment: 'sandbox' };
}

function isChange(by: string, action: string, status: number | null): boolean {
  return fits(entry(by, action, status), 'changes');
}

test('a read that was refused is a read, whoever asked', () => {
  assert.equal(isChange('ada@example.com', 'balance.get', 403), false);
  assert.equal(isChange('ada@example.com', 'payout.list', null), false);
  assert.equal(isChange('kp_test_ab', 'payout.list', 200), false);
});

test('what was changed is shown, refused or not, and a file that a person took', () => {
  assert.equal(isChange('ada@example.com', 'member.remove', 409), true);
  assert.equal(isChange('ada@example.com', 'invoice.pdf', 200), true);
  assert.equal(isChange('kp_test_ab', 'payout.create', 503), true);
});
