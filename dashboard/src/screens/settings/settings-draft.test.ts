import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeOf, emailChanges, wrongIn } from './settings-draft.ts';

const saved = {
  logoUrl: '',
  brandColor: '#0f6e6e',
  billingEmail: 'bills@tideway.example',
  contactEmail: 'ada@tideway.example',
  walletLow: '500.00',
};

test('only what was changed is sent, and what was emptied is taken away', () => {
  const change = changeOf(saved, { ...saved, brandColor: ' #0F6E6F ', billingEmail: '' });
  assert.deepEqual(change, { brand_color: '#0f6e6f', billing_email: null });
  assert.deepEqual(changeOf(saved, saved), {});
});

test('an amount is the same however it is typed', () => {
  assert.deepEqual(changeOf(saved, { ...saved, walletLow: '500' }), {});
  assert.deepEqual(changeOf(saved, { ...saved, walletLow: '1,250.5' }), { wallet_low_usdc: '1250.50' });
});

test('the addresses that a code confirms are named', () => {
  const change = changeOf(saved, { ...saved, brandColor: '', billingEmail: 'new@tideway.example', contactEmail: '' });
  assert.equal(emailChanges(change), 'the billing email new@tideway.example and no contact email');
  assert.equal(emailChanges({ brand_color: null }), '');
});

test('what the API would refuse is said before it is sent', () => {
  const wrong = wrongIn({
    logoUrl: 'http://x.example/a.png',
    brandColor: 'red',
    billingEmail: 'nobody',
    contactEmail: '',
    walletLow: 'little',
  });
  assert.deepEqual(Object.keys(wrong), ['logoUrl', 'brandColor', 'billingEmail', 'walletLow']);
});
