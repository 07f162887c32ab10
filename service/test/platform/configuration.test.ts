import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import { createTestDatabase } from '../harness/database.ts';
import { productionSettings } from '../harness/production-settings.ts';
import { configurationExitCode } from '../../src/platform/configuration/configuration.ts';
import { secretVariables } from '../../src/platform/configuration/secret-files.ts';
import { settings, type Setting } from '../../src/platform/configuration/settings.ts';

const processes = {
  api: { file: 'service/src/app/api.ts', args: [] },
  worker: { file: 'service/src/app/worker.ts', args: [] },
  migrate: { file: 'service/src/app/cli.ts', args: ['migrate'] },
  ledger: { file: 'service/src/app/cli.ts', args: ['ledger', 'verify'] },
  limits: { file: 'service/src/app/cli.ts', args: ['partners', 'limits', 'acme', '--factor', '2', '--reason', 'test'] },
};

const right = productionSettings;

async function startWith(name: keyof typeof processes, env: Record<string, string>) {
  const child = startChild({ name, ...processes[name], env });
  const exit = await child.exited;
  return { ...exit, said: child.output() };
}

/** A value that breaks the rule of its setting, and which process reads that setting. */
const wrong: Record<keyof typeof settings, { value: string; process: keyof typeof processes }> = {
  mode: { value: 'staging', process: 'api' },
  databaseUrl: { value: 'mysql://root:hunter2@localhost/kelpie', process: 'worker' },
  standbyDatabaseUrl: { value: 'mysql://root:hunter2@localhost/kelpie', process: 'api' },
  ownerDatabaseUrl: { value: 'hunter2', process: 'migrate' },
  readerDatabaseUrl: { value: 'redis://hunter2@localhost', process: 'ledger' },
  operatorDatabaseUrl: { value: 'hunter2', process: 'limits' },
  databaseConnections: { value: '1', process: 'worker' },
  apiHost: { value: 'not a host', process: 'api' },
  apiPort: { value: '65536', process: 'api' },
  publicUrl: { value: 'ftp://kelpie.example', process: 'api' },
  metricsHost: { value: 'a b', process: 'worker' },
  metricsPort: { value: '-1', process: 'api' },
  logLevel: { value: 'loud', process: 'migrate' },
  otlpUrl: { value: '127.0.0.1:4318', process: 'worker' },
  traceRatio: { value: '10%', process: 'api' },
  drainDelayMs: { value: '3s', process: 'api' },
  trustedProxies: { value: '10.0.0.0/33', process: 'api' },
  maxConnections: { value: '9', process: 'api' },
  requestsPerSecond: { value: '0', process: 'api' },
  requestsBurst: { value: '1000001', process: 'api' },
  payoutsPerSecond: { value: '2.5', process: 'api' },
  payoutsBurst: { value: 'many', process: 'api' },
  openRequestsPerMinute: { value: '-1', process: 'api' },
  invitationsPerDay: { value: '0', process: 'api' },
  signUpsPerHour: { value: '0', process: 'api' },
  unverifiedInvitationsPerDay: { value: '0', process: 'api' },
  apiKeyPepper: { value: 'hunter2', process: 'api' },
  dataKeys: { value: `0:${'ab'.repeat(32)}`, process: 'worker' },
  indexKey: { value: 'ABCD', process: 'api' },
  rowKey: { value: 'hunter2', process: 'worker' },
  auditKey: { value: 'hunter2', process: 'limits' },
  auditAnchors: { value: 'anchors', process: 'limits' },
  ledgerKey: { value: 'hunter2', process: 'worker' },
  ledgerAnchors: { value: 'anchors', process: 'worker' },
  heartbeatAnchor: { value: 'heartbeat', process: 'worker' },
  statusFile: { value: 'status.json', process: 'api' },
  sandboxBankUrl: { value: 'bank.example', process: 'worker' },
  sandboxBankControlUrl: { value: 'bank.example', process: 'api' },
  sandboxBankApiKey: { value: 'hunter2 with a space', process: 'worker' },
  sandboxBankWebhookKey: { value: 'a key', process: 'api' },
  sandboxBankFloat: { value: 'one id', process: 'worker' },
  liveBankUrl: { value: 'https://bank.example/', process: 'worker' },
  liveBankApiKey: { value: 'hunter2 ', process: 'worker' },
  liveBankWebhookKey: { value: '-----BEGIN PRIVATE KEY-----', process: 'api' },
  liveBankFloat: { value: 'customer/wallet/more', process: 'worker' },
  smtpUrl: { value: 'https://kelpie:hunter2@mail.example', process: 'worker' },
  mailFrom: { value: 'Kelpie\nBcc: ada@example.com', process: 'worker' },
  supportEmail: { value: 'support', process: 'api' },
  dashboardUrl: { value: 'dashboard.kelpie.example', process: 'api' },
  archive: { value: '/var/lib/kelpie/archive', process: 'api' },
  egressProxy: { value: 'https://proxy.internal:3128/', process: 'worker' },
  egressAllow: { value: '127.0.0.0/33', process: 'worker' },
  invoiceFrom: { value: 'Kelpie;;Edinburgh', process: 'api' },
  invoicePayTo: { value: 'Kelpie; 04-00-04; 12345678', process: 'api' },
  testFailpoint: { value: 'somewhere', process: 'api' },
  testClockFile: { value: 'relative/path', process: 'worker' },
};

const wrongOf = new Map<string, { value: string; process: keyof typeof processes }>(Object.entries(wrong));
const started = new Map<keyof typeof processes, ReturnType<typeof startWith>>();

/** One start of each process, with every setting wrong that it reads: it names them all at once. */
async function startWrong(name: keyof typeof processes): ReturnType<typeof startWith> {
  const values = Object.entries(settings).flatMap(([key, { variable }]): [string, string][] => {
    const entry = wrongOf.get(key);
    return entry?.process === name ? [[variable, entry.value]] : [];
  });
  const outcome = started.get(name) ?? startWith(name, { ...right, ...Object.fromEntries(values) });
  started.set(name, outcome);
  return outcome;
}

for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
  const entry = wrongOf.get(name);
  assert(entry !== undefined, `${name} has no wrong value to be tried with`);

  test(`${entry.process} ends with a sentence that names ${setting.variable} where it is wrong`, async () => {
    const { code, said } = await startWrong(entry.process);
    assert.equal(code, configurationExitCode, said);
    assert.match(
      said,
      new RegExp(`^${setting.variable} is .*\\. It must be .*, for example ${setting.variable}=`, 'm'),
    );
    assert.doesNotMatch(said, /hunter2|^\s+at /m);
  });

  test(`the example of ${setting.variable} keeps to its own rule`, () => {
    assert.notEqual(setting.parse(setting.example), undefined);
    if (setting.fallback !== undefined) assert.notEqual(setting.parse(setting.fallback), undefined);
  });
}

test('everything that is missing is named at once', async () => {
  const { code, said } = await startWith('api', {});
  assert.equal(code, configurationExitCode);
  assert.match(said, /^KELPIE_DATABASE_URL is not set/m);
  assert.match(said, /^KELPIE_PUBLIC_URL is not set/m);
});

test('a misspelt variable is named instead of a default taken in silence', async () => {
  const { code, said } = await startWith('worker', { ...right, KELPIE_LOG_LEVLE: 'debug' });
  assert.equal(code, configurationExitCode);
  assert.match(said, /^KELPIE_LOG_LEVLE is not a Kelpie setting. Check its spelling\.$/m);
});

test('variables of API clients are not settings, and break nothing', async () => {
  const client = { KELPIE_URL: 'http://127.0.0.1:4000', KELPIE_API_KEY: 'kp_sandbox_hunter2' };
  const { code, said } = await startWith('ledger', { ...right, ...client });
  // It got as far as the database, which is not there.
  assert.equal(code, 69, said);
  assert.match(said, /cannot be reached/);
});

test('a worker whose login is refused, or whose role bypasses row security, ends with a sentence', async () => {
  const database = await createTestDatabase();
  const refused = await startWith('worker', {
    ...right,
    KELPIE_MODE: 'development',
    KELPIE_DATABASE_URL: new URL('/nowhere', database.serviceUrl).href,
    KELPIE_METRICS_PORT: '0',
  });
  assert.equal(refused.code, 1);
  assert.match(refused.said, /^Kelpie stopped: .*3D000. The database refused the login/m);
  const past = await startWith('worker', {
    ...right,
    KELPIE_MODE: 'development',
    KELPIE_DATABASE_URL: database.superuserUrl,
    KELPIE_METRICS_PORT: '0',
  });
  assert.equal(past.code, configurationExitCode);
  assert.match(past.said, /^KELPIE_DATABASE_URL must connect as kelpie_service/m);
});

test('production refuses a clock that can be moved, webhooks to private networks, and a public address without https', async () => {
  const { code, said } = await startWith('api', {
    ...right,
    KELPIE_PUBLIC_URL: 'http://api.kelpie.example',
    KELPIE_DASHBOARD_URL: 'http://dashboard.kelpie.example',
    KELPIE_TEST_CLOCK_FILE: '/tmp/clock',
    KELPIE_TEST_FAILPOINT: 'bank.send_payment.after*1',
    KELPIE_EGRESS_ALLOW: '127.0.0.0/8',
  });
  assert.equal(code, configurationExitCode);
  assert.match(said, /^KELPIE_PUBLIC_URL starts with http/m);
  assert.match(said, /^KELPIE_DASHBOARD_URL starts with http/m);
  assert.match(said, /^KELPIE_TEST_CLOCK_FILE is set/m);
  assert.match(said, /^KELPIE_TEST_FAILPOINT is set/m);
  assert.match(said, /^KELPIE_EGRESS_ALLOW is set/m);
});

test('test money is never taken for real money', async () => {
  const { code, said } = await startWith('worker', {
    ...right,
    KELPIE_LIVE_BANK_URL: 'http://api.sandbox.bridge.xyz/v0',
    KELPIE_LIVE_BANK_API_KEY: 'sk-test-hunter2',
  });
  assert.equal(code, configurationExitCode);
  assert.match(said, /^KELPIE_LIVE_BANK_URL is a sandbox address/m);
  assert.match(said, /^KELPIE_LIVE_BANK_URL starts with http:/m);
  assert.match(said, /^KELPIE_LIVE_BANK_API_KEY is a test key/m);
  assert.doesNotMatch(said, /hunter2/);
});

test('a worker in production does not start where it could send no mail', async () => {
  const { KELPIE_SMTP_URL: _relay, KELPIE_MAIL_FROM: _from, KELPIE_SUPPORT_EMAIL: _support, ...withoutMail } = right;
  const unset = await startWith('worker', withoutMail);
  assert.equal(unset.code, configurationExitCode);
  assert.match(unset.said, /^KELPIE_SMTP_URL is not set. It must be smtps:/m);
  assert.match(unset.said, /^KELPIE_MAIL_FROM is not set/m);
  assert.match(unset.said, /^KELPIE_SUPPORT_EMAIL is not set/m);
  const none = await startWith('worker', { ...right, KELPIE_SMTP_URL: 'none' });
  assert.equal(none.code, configurationExitCode);
  assert.match(none.said, /^KELPIE_SMTP_URL is invalid/m);
});

test('an address of a bank without its key is named', async () => {
  const { code, said } = await startWith('worker', { ...right, KELPIE_SANDBOX_BANK_URL: 'https://bank.example/v0' });
  assert.equal(code, configurationExitCode);
  assert.match(said, /^Set both KELPIE_SANDBOX_BANK_URL and KELPIE_SANDBOX_BANK_API_KEY, or neither/m);
});

test('docs/configuration.md describes every setting as the code has it', () => {
  const page = readFileSync(`${projectFolder}/docs/configuration.md`, 'utf8');
  const rows = Object.values<Setting<unknown>>(settings).map(
    ({ variable, about, rule, fallback, example }) =>
      `| \`${variable}\` | ${about} | ${rule} | ${fallback === undefined ? 'required' : `\`${fallback}\``} | \`${example}\` |`,
  );
  assert.deepEqual(page.match(/^\| `KELPIE_.*$/gm), rows);
});

test('docs/configuration.md lists every secret that can be read from a file', () => {
  const page = readFileSync(`${projectFolder}/docs/configuration.md`, 'utf8');
  const [, listed = ''] = /^These are secrets: (.*)\.$/m.exec(page) ?? [];
  assert.deepEqual(
    listed.split(', ').map((name) => name.replaceAll('`', '')),
    secretVariables,
  );
});
