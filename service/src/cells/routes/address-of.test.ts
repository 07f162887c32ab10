import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from './address-of.ts';

const token = 'ab'.repeat(32);
const cookie = `__Host-kelpie_session=${token}`;

test('a request is found by its key, then the public page that it asks for, then its session', () => {
  const authorization = `Bearer kp_live_${'0f'.repeat(24)}`;
  const url = '/v1/public/partners/tide-way?x=1';
  assert.deepEqual(addressOf({ url, headers: { authorization, cookie } }), { kind: 'key', prefix: 'kp_live_0f0f0f0f' });
  assert.deepEqual(addressOf({ url, headers: { cookie } }), { kind: 'slug', slug: 'tide-way' });
  assert.deepEqual(addressOf({ url: '/v1/account', headers: { cookie } }), { kind: 'session', token });
});

test('what a bank sends belongs to no cell, whatever it carries', () => {
  assert.deepEqual(addressOf({ url: '/bank-webhooks/live', headers: { cookie } }), { kind: 'bank' });
});

test('what has no form of ours says nothing', () => {
  for (const authorization of ['Bearer kp_live_0f0f', 'Basic kp_live_0f0f0f0f', 'Bearer KP_live_0f0f0f0f'])
    assert.deepEqual(addressOf({ url: '/v1/payouts', headers: { authorization } }), { kind: 'none' });
  assert.deepEqual(addressOf({ url: '/v1/public/partners/A_b', headers: { cookie: 'other=1' } }), { kind: 'none' });
});
