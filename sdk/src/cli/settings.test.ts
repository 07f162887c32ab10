import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { readSettings, storeCredentials } from './settings.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-settings-'));
after(() => rmSync(folder, { recursive: true }));
const home = { XDG_CONFIG_HOME: folder };
const sandbox = { apiKey: 'kp_sandbox_1', baseUrl: 'https://api.kelpie.example', environment: 'sandbox' as const };

test('without a key or an address, it says how to set them', () => {
  assert.throws(() => readSettings(home), { code: 'not_configured', message: /KELPIE_API_KEY.*kelpie configure/ });
  assert.throws(() => readSettings({ ...home, KELPIE_API_KEY: 'kp_sandbox_1' }), { message: /KELPIE_BASE_URL/ });
});

test('what is stored is read again, from a file that only its owner can read, and nothing is left beside it', () => {
  const file = storeCredentials(sandbox, home);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(path.dirname(file)).mode & 0o777, 0o700);
  assert.deepEqual(readSettings(home), sandbox);
  storeCredentials({ ...sandbox, apiKey: 'kp_sandbox_2' }, home);
  assert.equal(readSettings(home).apiKey, 'kp_sandbox_2');
  assert.deepEqual(readdirSync(path.dirname(file)), ['credentials']);
});

test('a variable goes before the file', () => {
  storeCredentials(sandbox, home);
  assert.equal(readSettings({ ...home, KELPIE_API_KEY: 'kp_live_3' }).environment, 'live');
  assert.equal(
    readSettings({ ...home, KELPIE_BASE_URL: 'http://localhost:4000/v1/' }).baseUrl,
    'http://localhost:4000',
  );
});

test('a credentials file that others can read is refused, by group or by all', () => {
  const file = storeCredentials(sandbox, home);
  for (const mode of [0o640, 0o604, 0o644, 0o666, 0o620]) {
    chmodSync(file, mode);
    assert.throws(() => readSettings(home), { code: 'credentials_exposed', message: /chmod 600/ });
  }
  chmodSync(file, 0o400);
  assert.equal(readSettings(home).apiKey, sandbox.apiKey);
});

test('a live key is never sent unencrypted to another machine', () => {
  const live = { ...home, KELPIE_API_KEY: 'kp_live_1' };
  assert.throws(() => readSettings({ ...live, KELPIE_BASE_URL: 'http://api.kelpie.example' }), {
    code: 'not_encrypted',
  });
  assert.equal(readSettings({ ...live, KELPIE_BASE_URL: 'http://127.0.0.1:4000' }).environment, 'live');
});

test('what is no key and what is no address is refused without being repeated', () => {
  for (const [name, value, code] of [
    ['KELPIE_API_KEY', 'sk_12345', 'key_invalid'],
    ['KELPIE_API_KEY', 'kp_sandbox_a b', 'key_invalid'],
    ['KELPIE_BASE_URL', 'localhost:4000', 'base_url_invalid'],
    ['KELPIE_BASE_URL', 'https://user:pass@api.kelpie.example', 'base_url_invalid'],
  ] as const) {
    const env = { KELPIE_API_KEY: 'kp_sandbox_1', KELPIE_BASE_URL: 'https://api.kelpie.example', [name]: value };
    assert.throws(
      () => readSettings(env),
      (error: Error & { code?: string }) => error.code === code && !error.message.includes(value),
    );
  }
});
