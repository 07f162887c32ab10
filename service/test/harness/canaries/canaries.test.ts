import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';
import { findCanaries, findSecrets, plantCanary } from './find-canaries.ts';
import { canaries } from './values.ts';

const key = `kp_live_${randomBytes(24).toString('hex')}`;
const token = randomBytes(32).toString('hex');
const secret = { variable: 'KELPIE_LIVE_BANK_API_KEY', value: 'sk-live-stand-in' };

const planted: Readonly<Record<string, readonly string[]>> = {
  'an API key': [key, `Bearer ${key}`, key.slice(0, 20), encodeURIComponent(`?key=${key}`)],
  'an encoded API key': [btoa(`${key}:`), btoa(`x:${key}`), btoa(`ab${key}`), Buffer.from(key).toString('hex')],
  'a webhook secret': [`whsec_${randomBytes(32).toString('base64')}`],
  'an encoded webhook secret': [btoa(`whsec_${randomBytes(32).toString('base64')}`)],
  'a session cookie': [`__Host-kelpie_session=${token}`, `__Host-kelpie_browser=${token}; Path=/`],
  'an encoded session cookie': [btoa(`cookie: __Host-kelpie_session=${token}`)],
  'a session token': [token, `/v1/${token}`],
  'a session token, encoded': [btoa(token)],
  'a sign-in code': ['281949', 'code%20281949.'],
  'the value of KELPIE_LIVE_BANK_API_KEY': [`x${secret.value}x`, btoa(`a:${secret.value}`)],
  'a private key': ['-----BEGIN PRIVATE KEY-----\\nMII'],
  'a password in an address': ['postgres://kelpie:word@db:5432/kelpie', 'smtps://:hunter2@mail'],
  'a digest or a key of 32 bytes': [
    createHash('sha256').update(canaries.email).digest('hex'),
    createHash('sha256').update(canaries.email).digest('base64'),
  ],
  'an email address': [canaries.email, 'Key (email)=(a.b+c@people.test)', 'a%40people.test', 'a\\u0040people.test'],
  'an encoded email address': [btoa('xx-3@people.test')],
  'the name of a recipient': ['Ada Canaryname', 'ADA%20CANARYNAME', 'Byron'],
  'the encoded name of a recipient': [btoa('1 Canaryname'), `\\x${Buffer.from('Ada Canaryname').toString('hex')}`],
  'the address of a recipient': [canaries.line1],
  'the encoded address of a recipient': [btoa(`{"line1":"${canaries.line1}"}`)],
  'a sort code': [canaries.sortCode, '04-09-77', 'to 04 09 77.'],
  'an encoded sort code': [btoa(`sort=${canaries.sortCode}`)],
  'an account number': [canaries.accountNumber, `"account":${canaries.accountNumber}}`],
  'an encoded account number': [btoa(`account ${canaries.accountNumber}`)],
};

for (const [kind, texts] of Object.entries(planted)) {
  test(`${kind} is found in a log line`, () => {
    plantCanary('a session token', token);
    plantCanary('a sign-in code', '281949');
    for (const text of texts) {
      const line = JSON.stringify({ level: 'info', event: 'payout.sent', error: { text } });
      assert(findCanaries(line, [secret]).includes(kind), `${text}: ${findCanaries(line, [secret]).join()}`);
    }
  });
}

test('an ordinary log line has none of them', () => {
  plantCanary('a sign-in code', '281949');
  const lines = [
    '{"level":"info","time":"2026-11-19T03:14:15.926Z","process":"api","request_id":"0199f1c8-040977aa-7731-8000-77315678abcd"}',
    '{"level":"info","commit":"4923e6240977315678aa00112233445566778899","duration_ms":0.281949,"caller_id":"kp_live_0a1b2c3d"}',
    '{"level":"error","error":{"at":["run (file:///srv/.pnpm/pg-boss@12.1.0-rc.two/node_modules/x.js:040977:12)"]}}',
    '{"level":"warn","event":"request.answered","route":"/v1/payouts/{id}","status":404,"partner_id":"281949aa-0000"}',
    'Contact support at support@kelpie.example.',
  ];
  for (const line of lines) assert.deepEqual(findCanaries(line, [secret]), [], line);
});

test('a command may print a name and a new key for its operator, and no secret of its settings', () => {
  assert.deepEqual(findSecrets(`Ada Canaryname ${canaries.email} ${key}`, [secret]), []);
  assert.deepEqual(findSecrets(`key ${btoa(secret.value)}`, [secret]), ['the value of KELPIE_LIVE_BANK_API_KEY']);
});

test('faults 56: a test file fails by what its processes give away, with kind and place and without the value', () => {
  const watch = process.execArgv.find((arg) => arg.endsWith('canaries/preload.ts')) ?? '--not-watched';
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [watch, '--test', '--test-reporter=tap', 'service/test/programs/leaking-file.ts'],
    { cwd: projectFolder, env, encoding: 'utf8', timeout: 120_000 },
  );
  const output = stdout + stderr;
  assert.equal(status, 1, output);
  for (const place of [
    'an account number, in the field route of payout.sent, logged by worker',
    'the value of KELPIE_API_KEY_PEPPER, in what kelpie-admin said outside its log',
    'the name of a recipient, in a job of the queue month-partitions',
    'an email address, in an answer 404 to GET /nowhere',
  ])
    assert(output.includes(place), `${place} is missing in ${output}`);
  assert.match(output, /# pass 1$/m);
  for (const value of [canaries.accountNumber, canaries.email, '5a5a', 'Canaryname']) assert(!output.includes(value));
});
