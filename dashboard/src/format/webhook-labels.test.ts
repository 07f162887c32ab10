import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAccepted, outcomeLabel, typesLabel, webhookName, webhookStatus } from './webhook-labels.ts';

test('a webhook is called by its description, and else by the host of its URL', () => {
  assert.equal(webhookName({ description: 'Order system', url: 'https://shop.example/kelpie' }), 'Order system');
  assert.equal(webhookName({ description: null, url: 'https://shop.example:8443/kelpie?a=1' }), 'shop.example:8443');
});

test('a webhook that fails says since when, unless nothing is sent to it any more', () => {
  const failing = { status: 'enabled', failing_since: '2026-11-16T09:30:00.000Z' } as const;
  assert.match(webhookStatus(failing).label, /^Failing since 16 Nov.*, 09:30$/);
  assert.equal(webhookStatus({ ...failing, failing_since: null }).label, 'Enabled');
  assert.equal(webhookStatus({ ...failing, status: 'disabled' }).label, 'Disabled');
});

test('an attempt is described by its status, or by why there was no answer', () => {
  assert.equal(outcomeLabel({ status_code: 204, failure: null }), '204');
  assert.equal(outcomeLabel({ status_code: null, failure: 'connection_refused' }), 'Connection refused');
  assert.equal(outcomeLabel({ status_code: null, failure: 'a_new_reason' }), 'a_new_reason');
  for (const [status, expected] of [
    [200, true],
    [299, true],
    [300, false],
    [199, false],
    [null, false],
  ] as const)
    assert.equal(isAccepted({ status_code: status }), expected);
});

test('all types are called all, and one by its name', () => {
  assert.equal(typesLabel(null), 'All events');
  assert.equal(typesLabel(['payout.completed']), 'payout.completed');
  assert.equal(typesLabel(['payout.completed', 'payout.failed']), '2 types');
});
