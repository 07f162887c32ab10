import type { ActivityEntry } from '@kelpie/sdk';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fits, type Kind } from './kinds.ts';

function isOf(kind: Kind, entry: Pick<ActivityEntry, 'by' | 'action' | 'status'> & { detail?: string }): boolean {
  const at = '2026-11-15T12:00:00.000Z';
  return fits({ request_id: null, at, detail: null, environment: 'sandbox', ...entry }, kind);
}

const person = 'ada@example.com';

test('a refused read is a read, whoever asked', () => {
  assert.equal(isOf('changes', { by: person, action: 'balance.get', status: 403 }), false);
  assert.equal(isOf('changes', { by: 'kp_test_ab', action: 'payout.list', status: 200 }), false);
});

test('changes include refused ones, and files that a person downloaded', () => {
  assert.equal(isOf('changes', { by: person, action: 'member.remove', status: 409 }), true);
  assert.equal(isOf('changes', { by: person, action: 'invoice.pdf', status: 200 }), true);
  assert.equal(isOf('changes', { by: person, action: 'payout.export', status: 200 }), true);
  assert.equal(isOf('changes', { by: 'kp_test_ab', action: 'payout.create', status: 503 }), true);
});

test('a credited top-up and a payout that waits for its code are no failures', () => {
  assert.equal(isOf('failed', { by: 'bank', action: 'deposit.credit', status: null, detail: 'x' }), false);
  assert.equal(
    isOf('failed', { by: person, action: 'payout.create', status: 422, detail: 'confirmation_required' }),
    false,
  );
  assert.equal(
    isOf('failed', { by: person, action: 'payout.create', status: 422, detail: 'invalid_confirm_code' }),
    true,
  );
  assert.equal(
    isOf('failed', { by: person, action: 'payout.create', status: 502, detail: 'payout_not_created' }),
    true,
  );
});
