import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountsAddress, namedAccount, nextAddress } from './next-address.ts';

function nextOf(address: string): string {
  return nextAddress(new URLSearchParams({ next: address }));
}

test('after signing in one comes back to the page that one asked for', () => {
  assert.equal(nextOf('/live/payouts?status=failed%2Creturned'), '/live/payouts?status=failed%2Creturned');
  assert.equal(nextOf('/sandbox'), '/sandbox');
});

test('a link can not send anybody to another site after signing in', () => {
  for (const address of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/sandbox//evil',
    'javascript:x',
    '',
  ]) {
    const next = nextOf(address);
    assert(next === '/' || next.startsWith('/sandbox/'), next);
  }
});

test('a link can name an account, by nothing but its short name', () => {
  assert.equal(namedAccount(new URLSearchParams({ account: 'tideway-coffee' })), 'tideway-coffee');
  for (const account of ['', 'x', 'Tideway', '../keys', 'a b']) {
    assert.equal(namedAccount(new URLSearchParams({ account })), undefined, account);
  }
});

test('who chooses an account is led on to the page that they wanted', () => {
  assert.equal(accountsAddress(new URLSearchParams()), '/accounts');
  assert.equal(accountsAddress(new URLSearchParams({ next: '/live/keys' })), '/accounts?next=%2Flive%2Fkeys');
  assert.equal(accountsAddress(new URLSearchParams({ next: 'https://elsewhere.example' })), '/accounts');
});
