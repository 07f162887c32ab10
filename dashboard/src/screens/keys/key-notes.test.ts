import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isExpired, keyNotes } from './key-notes.ts';

const nowMs = Date.parse('2026-11-16T12:00:00.000Z');
const plain = {
  scope: 'pay',
  networks: [],
  expires_at: null,
  daily_limit_gbp: null,
  full_limit_at: null,
  previous_key_prefix: null,
  previous_expires_at: null,
} as const;

test('a key without restrictions has no notes', () => {
  assert.deepEqual(keyNotes({ ...plain, networks: [] }, nowMs), []);
});

test('each restriction of a key is said, while it lasts', () => {
  const key = {
    scope: 'read',
    networks: ['203.0.113.0/24', '198.51.100.7/32', '2001:db8::/32'],
    expires_at: '2026-12-16T12:00:00.000Z',
    daily_limit_gbp: '500.00',
    full_limit_at: '2026-11-17T11:40:00.000Z',
    previous_key_prefix: 'kp_live_0123abcd',
    previous_expires_at: '2026-11-17T11:40:00.000Z',
  } as const;
  assert.deepEqual(
    keyNotes({ ...key, networks: [...key.networks] }, nowMs).map((note) => note.replace(/,? 2026/, '')),
    [
      'Read only',
      'Only from 203.0.113.0/24, 198.51.100.7/32 and 1 more',
      '£500.00 per day',
      'Full limit from 17 Nov, 11:40',
      'Expires 16 Dec',
      'Previous secret kp_live_0123abcd… works until 17 Nov, 11:40',
    ],
  );
  const later = Date.parse('2027-01-01T00:00:00.000Z');
  assert.deepEqual(keyNotes({ ...key, networks: ['203.0.113.0/24'] }, later), [
    'Read only',
    'Only from 203.0.113.0/24',
    '£500.00 per day',
  ]);
  assert.deepEqual([isExpired(key, nowMs), isExpired(key, later), isExpired(plain, later)], [false, true, false]);
});
