import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSender } from './mail-address.ts';
import { parseRelay } from './relay-address.ts';

test('a relay is read whole, with the usual ports and with special characters in its password', () => {
  const plain = { host: 'mail.internal', port: 587, secure: false, auth: null };
  assert.deepEqual(parseRelay('smtp://mail.internal'), plain);
  assert.deepEqual(parseRelay('smtp://[::1]:2525'), { ...plain, host: '::1', port: 2525 });
  assert.deepEqual(parseRelay('smtps://no-reply%40kelpie.example:a%2Fb%3Ac@mail.internal'), {
    host: 'mail.internal',
    port: 465,
    secure: true,
    auth: { user: 'no-reply@kelpie.example', pass: 'a/b:c' },
  });
});

test('what is no relay, or has more than we would heed, is not taken for one', () => {
  const wrong = ['', 'mail.internal', 'http://mail.internal', 'smtp://', 'smtp://m/', 'smtp://m?pool=1', 'smtp://m#x'];
  const halves = ['smtp://user@m', 'smtp://:pass@m', 'smtp://user:%zz@m', 'SMTP://m', ' smtp://m'];
  for (const text of [...wrong, ...halves]) assert.equal(parseRelay(text), undefined, text);
});

test('a sender is an address, with or without a name', () => {
  const address = 'no-reply@kelpie.example';
  assert.deepEqual(parseSender(`Kelpie <${address}>`), { name: 'Kelpie', address, domain: 'kelpie.example' });
  assert.deepEqual(parseSender(address), { name: '', address, domain: 'kelpie.example' });
  for (const text of [
    'Kelpie',
    'a@localhost',
    `Kelpie ${address}`,
    `K <${address}>, b <c@d.example>`,
    `K\n<${address}>`,
  ])
    assert.equal(parseSender(text), undefined, text);
});
