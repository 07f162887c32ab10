import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { apiKey, payout } from '../test/examples.ts';
import { startStandInApi } from '../test/stand-in-api.ts';
import { createKelpie } from './index.ts';

const api = await startStandInApi();
api.answer(() => ({ json: payout }));

afterEach(() => {
  delete process.env['KELPIE_API_KEY'];
  delete process.env['KELPIE_BASE_URL'];
});

test('without options, the key and the address come from the environment; what is passed wins', async () => {
  process.env['KELPIE_API_KEY'] = apiKey;
  process.env['KELPIE_BASE_URL'] = api.url;
  await createKelpie().balance.get();
  await createKelpie({ apiKey: 'kp_sandbox_other' }).balance.get();
  await createKelpie({ environment: 'sandbox' }).balance.get();
  assert.deepEqual(
    api.asked.map(({ headers }) => headers['authorization']),
    [`Bearer ${apiKey}`, 'Bearer kp_sandbox_other', undefined],
  );
});

function missing(name: string, variable: string) {
  const message = `${name} is missing. Pass it to createKelpie({ ${name} }), or set ${variable}.`;
  return { name: 'TypeError', message };
}

test('what is missing is named, with the two ways to give it', () => {
  assert.throws(() => createKelpie(), missing('apiKey', 'KELPIE_API_KEY'));
  assert.throws(() => createKelpie({ apiKey: '', baseUrl: api.url }), missing('apiKey', 'KELPIE_API_KEY'));
  assert.throws(() => createKelpie({ apiKey }), missing('baseUrl', 'KELPIE_BASE_URL'));
  process.env['KELPIE_BASE_URL'] = '';
  assert.throws(() => createKelpie({ apiKey }), missing('baseUrl', 'KELPIE_BASE_URL'));
});

test('an address that can be no such thing says what is wrong with it and what to write', () => {
  const wrong: readonly [baseUrl: string, message: string][] = [
    ['localhost:4000', 'baseUrl has no scheme (http:// or https://). Write it as http://localhost:4000'],
    ['api.example.com', 'baseUrl has no scheme (http:// or https://). Write it as https://api.example.com'],
    ['api.example.com/v1', 'baseUrl has no scheme (http:// or https://). Write it as https://api.example.com'],
    [
      'https://api.example.com/v1',
      'baseUrl must not end in /v1: the client adds it. Write it as https://api.example.com',
    ],
    ['http://127.0.0.1:4000/v1/', 'baseUrl must not end in /v1: the client adds it. Write it as http://127.0.0.1:4000'],
    [
      'ftp://api.example.com',
      'baseUrl must start with https:// or http://, not ftp://. Write it as https://api.example.com',
    ],
    ['https://', 'baseUrl is not a URL. Write it as https://api.example.com'],
    [
      'https://api.example.com?a=b',
      'baseUrl must not contain a query or a fragment. Write it as https://api.example.com',
    ],
  ];
  for (const [baseUrl, message] of wrong)
    assert.throws(() => createKelpie({ apiKey, baseUrl }), { name: 'TypeError', message });
});

test('a password in an address is refused, and not repeated', () => {
  assert.throws(
    () => createKelpie({ apiKey, baseUrl: 'https://ada:hunter2@api.example.com' }),
    (error) => error instanceof TypeError && /password/.test(error.message) && !error.message.includes('hunter2'),
  );
});
