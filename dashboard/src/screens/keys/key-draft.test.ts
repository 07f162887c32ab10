import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyKeyDraft, keyMistakes, keyMistakesFrom, keyRequest } from './key-draft.ts';

const nowMs = Date.parse('2026-11-16T12:00:00.000Z');

test('what is left at its default is not sent', () => {
  assert.deepEqual(keyRequest({ ...emptyKeyDraft, label: ' Shop ' }, 'live', nowMs), {
    environment: 'live',
    label: 'Shop',
  });
});

test('a key is restricted as it was typed', () => {
  const draft = {
    ...emptyKeyDraft,
    networks: '203.0.113.0/24, 2001:db8::/32\n198.51.100.7',
    expiresInDays: '30',
    dailyLimit: '1,500',
  } as const;
  assert.deepEqual(keyMistakes(draft), {});
  assert.deepEqual(keyRequest(draft, 'sandbox', nowMs), {
    environment: 'sandbox',
    networks: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'],
    expires_at: '2026-12-16T12:00:00.000Z',
    daily_limit_gbp: '1500.00',
  });
});

test('a key that only reads has no limit of what it pays', () => {
  const draft = { ...emptyKeyDraft, scope: 'read', dailyLimit: 'much' } as const;
  assert.deepEqual(keyMistakes(draft), {});
  assert.deepEqual(keyRequest(draft, 'live', nowMs), { environment: 'live', scope: 'read' });
});

test('what the API would refuse is said before it is sent', () => {
  const eleven = Array.from({ length: 11 }, (_, last) => `203.0.113.${last}`).join(' ');
  assert.match(keyMistakes({ ...emptyKeyDraft, networks: 'office.example' }).networks ?? '', /^office\.example is not/);
  assert.match(keyMistakes({ ...emptyKeyDraft, networks: eleven }).networks ?? '', /at most 10/);
  assert.deepEqual(Object.keys(keyMistakes({ ...emptyKeyDraft, dailyLimit: 'much' })), ['dailyLimit']);
});

test("the API's errors stand at their fields", () => {
  const said = [
    { path: 'networks.0', rule: 'must be an IP address or a CIDR range' },
    { path: 'daily_limit_gbp', rule: 'must be at least 1.00' },
    { path: 'confirm_code', rule: 'must be 6 digits' },
  ];
  assert.deepEqual(keyMistakesFrom(said), {
    networks: 'It must be an IP address or a CIDR range.',
    dailyLimit: 'It must be at least 1.00.',
  });
});
