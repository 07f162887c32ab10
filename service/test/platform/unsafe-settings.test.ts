import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';
import {
  configurationExitCode,
  ConfigurationError,
  readConfiguration,
} from '../../src/platform/configuration/configuration.ts';
import { settings } from '../../src/platform/configuration/settings.ts';
import { productionSettings } from '../harness/production-settings.ts';

/** What production says to these settings: null where it starts. */
function refusal(env: Record<string, string>): string | null {
  try {
    readConfiguration({ ...productionSettings, ...env }, (get) => get(settings.logLevel));
    return null;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message;
  }
}

const { KELPIE_INDEX_KEY: indexKey, KELPIE_AUDIT_KEY: auditKey } = productionSettings;
const example = '0123456789abcdef'.repeat(4);
const database = 'postgres://kelpie_service:hunter2';
const sandbox = {
  KELPIE_SANDBOX_BANK_URL: 'https://sandbox.bank.example/v0',
  KELPIE_SANDBOX_BANK_API_KEY: 'sk-test-hunter2',
};
const live = { KELPIE_LIVE_BANK_URL: 'https://bank.example/v0', KELPIE_LIVE_BANK_API_KEY: 'sk-live-hunter2' };
const float = '5f3c9a52/9a1f2d6c';

/** Each with the variable that the refusal begins with, and what it says to do. */
const unsafe: readonly [what: string, env: Record<string, string>, said: RegExp][] = [
  [
    'a remote database without TLS',
    { KELPIE_DATABASE_URL: `${database}@db.internal:5432/kelpie` },
    /^KELPIE_DATABASE_URL connects without verified TLS\. Add \?sslmode=verify-full/m,
  ],
  [
    'a database with TLS switched off',
    { KELPIE_READER_DATABASE_URL: `${database}@db.internal/kelpie?sslmode=disable` },
    /^KELPIE_READER_DATABASE_URL connects without verified TLS/m,
  ],
  [
    'a database whose name is not verified',
    { KELPIE_OWNER_DATABASE_URL: `${database}@db.internal/kelpie?sslmode=verify-ca` },
    /^KELPIE_OWNER_DATABASE_URL connects without verified TLS/m,
  ],
  [
    'a second sslmode, which the driver takes',
    { KELPIE_OPERATOR_DATABASE_URL: `${database}@db.internal/kelpie?sslmode=verify-full&sslmode=no-verify` },
    /^KELPIE_OPERATOR_DATABASE_URL connects without verified TLS/m,
  ],
  [
    'a proxy on this machine, without TLS behind it',
    { KELPIE_DATABASE_URL: `${database}@127.0.0.1:5432/kelpie` },
    /^KELPIE_DATABASE_URL connects without verified TLS/m,
  ],
  [
    'a certificate authority that is not there',
    { KELPIE_DATABASE_URL: `${database}@db.internal/kelpie?sslmode=verify-full&sslrootcert=/nowhere/ca.crt` },
    /^KELPIE_DATABASE_URL: the file of its sslrootcert cannot be read/m,
  ],
  [
    'certificates that are not checked at all',
    { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    /^NODE_TLS_REJECT_UNAUTHORIZED is 0.*Remove it/m,
  ],
  ['the example key', { KELPIE_INDEX_KEY: example }, /^KELPIE_INDEX_KEY is the example.*openssl rand -hex 32/m],
  ['the example data key', { KELPIE_DATA_KEYS: `2:${example}` }, /^KELPIE_DATA_KEYS is the example/m],
  [
    'a key that is a pattern',
    { KELPIE_API_KEY_PEPPER: 'a1'.repeat(32) },
    /^KELPIE_API_KEY_PEPPER is the example from the docs or another pattern/m,
  ],
  [
    'an equal pepper',
    { KELPIE_API_KEY_PEPPER: indexKey },
    /^KELPIE_API_KEY_PEPPER and KELPIE_INDEX_KEY are the same key/m,
  ],
  ['an equal audit key', { KELPIE_AUDIT_KEY: indexKey }, /^KELPIE_INDEX_KEY and KELPIE_AUDIT_KEY are the same key/m],
  ['an equal ledger key', { KELPIE_LEDGER_KEY: auditKey }, /^KELPIE_AUDIT_KEY and KELPIE_LEDGER_KEY are the same key/m],
  [
    'an equal data key',
    { KELPIE_DATA_KEYS: `1:${auditKey}` },
    /^KELPIE_AUDIT_KEY and KELPIE_DATA_KEYS are the same key/m,
  ],
  [
    'one data key under two versions',
    {
      KELPIE_DATA_KEYS: `${productionSettings.KELPIE_DATA_KEYS},${productionSettings.KELPIE_DATA_KEYS.replace('1:', '2:')}`,
    },
    /^KELPIE_DATA_KEYS has one key under two versions/m,
  ],
  [
    'the example password of a database',
    { KELPIE_DATABASE_URL: 'postgres://kelpie_service:secret@db.internal/kelpie?sslmode=verify-full' },
    /^KELPIE_DATABASE_URL has the example password/m,
  ],
  [
    'the example password of a relay',
    { KELPIE_SMTP_URL: 'smtps://kelpie:secret@mail.example:465' },
    /^KELPIE_SMTP_URL has the example password/m,
  ],
  [
    'the example key of the bank',
    { ...live, KELPIE_LIVE_BANK_API_KEY: 'sk-live-secret' },
    /^KELPIE_LIVE_BANK_API_KEY has the example password or key/m,
  ],
  [
    'the sandbox at the live bank',
    { ...live, ...sandbox, KELPIE_SANDBOX_BANK_URL: 'https://bank.example/sandbox' },
    /^KELPIE_SANDBOX_BANK_URL and KELPIE_LIVE_BANK_URL have the same host/m,
  ],
  [
    'the sandbox with the live key',
    { ...live, ...sandbox, KELPIE_SANDBOX_BANK_API_KEY: live.KELPIE_LIVE_BANK_API_KEY },
    /^KELPIE_SANDBOX_BANK_API_KEY and KELPIE_LIVE_BANK_API_KEY are equal/m,
  ],
  [
    'the sandbox with the live float',
    { ...live, ...sandbox, KELPIE_SANDBOX_BANK_FLOAT: float, KELPIE_LIVE_BANK_FLOAT: float },
    /^KELPIE_SANDBOX_BANK_FLOAT and KELPIE_LIVE_BANK_FLOAT are equal/m,
  ],
  [
    'controls of the sandbox bank at the live bank',
    {
      ...live,
      ...sandbox,
      KELPIE_LIVE_BANK_URL: 'https://10.0.0.7/v0',
      KELPIE_SANDBOX_BANK_CONTROL_URL: 'http://10.0.0.7/control',
    },
    /^KELPIE_SANDBOX_BANK_CONTROL_URL and KELPIE_LIVE_BANK_URL have the same host/m,
  ],
  [
    'controls of the sandbox bank for everybody to reach',
    { ...sandbox, KELPIE_SANDBOX_BANK_CONTROL_URL: 'https://sandbox.bank.example/control' },
    /^KELPIE_SANDBOX_BANK_CONTROL_URL is a public address or a name/m,
  ],
  [
    'a sandbox bank without TLS',
    { ...sandbox, KELPIE_SANDBOX_BANK_URL: 'http://sandbox.bank.example/v0' },
    /^KELPIE_SANDBOX_BANK_URL starts with http:/m,
  ],
  [
    'a live bank without TLS',
    { ...live, KELPIE_LIVE_BANK_URL: 'http://bank.example/v0' },
    /^KELPIE_LIVE_BANK_URL starts with http:/m,
  ],
  [
    'metrics on every interface',
    { KELPIE_METRICS_HOST: '0.0.0.0' },
    /^KELPIE_METRICS_HOST is "0\.0\.0\.0".*loopback or private/m,
  ],
  ['metrics on every interface of IPv6', { KELPIE_METRICS_HOST: '::' }, /^KELPIE_METRICS_HOST is "::"/m],
  ['metrics on a public address', { KELPIE_METRICS_HOST: '203.0.113.7' }, /^KELPIE_METRICS_HOST is "203/m],
  [
    'metrics on a name',
    { KELPIE_METRICS_HOST: 'metrics.kelpie.example' },
    /^KELPIE_METRICS_HOST is .*a name, which may be public/m,
  ],
  [
    'traces in clear to another network',
    { KELPIE_OTLP_URL: 'http://collector.example:4318/v1/traces' },
    /^KELPIE_OTLP_URL sends traces over http:/m,
  ],
  [
    'half of the internet as a proxy',
    { KELPIE_TRUSTED_PROXIES: '10.0.0.1,0.0.0.0/1' },
    /^KELPIE_TRUSTED_PROXIES trusts 0\.0\.0\.0\/1/m,
  ],
  [
    'a wide network around a private one',
    { KELPIE_TRUSTED_PROXIES: '10.0.0.0/7' },
    /^KELPIE_TRUSTED_PROXIES trusts 10\.0\.0\.0\/7/m,
  ],
  ['all of IPv6 as a proxy', { KELPIE_TRUSTED_PROXIES: '2000::/3' }, /^KELPIE_TRUSTED_PROXIES trusts 2000::\/3/m],
  ['everyone as a proxy', { KELPIE_TRUSTED_PROXIES: '0.0.0.0/0' }, /^KELPIE_TRUSTED_PROXIES trusts 0\.0\.0\.0\/0/m],
  ['no alarms', { KELPIE_LOG_LEVEL: 'silent' }, /^KELPIE_LOG_LEVEL is silent/m],
];

for (const [what, env, said] of unsafe)
  test(`production refuses ${what}, and development takes it`, () => {
    const refused = refusal(env);
    assert.match(refused ?? 'it started', said);
    assert.doesNotMatch(refused ?? '', /hunter2|0123456789abcdef0123|[0-9a-f]{64}/);
    if (what !== 'everyone as a proxy') assert.equal(refusal({ ...env, KELPIE_MODE: 'development' }), null);
  });

const safe: readonly [what: string, env: Record<string, string>][] = [
  ['a local socket', { KELPIE_DATABASE_URL: `${database}@%2Frun%2Fpostgresql/kelpie` }],
  ['a socket as a parameter', { KELPIE_DATABASE_URL: `${database}@localhost/kelpie?host=/run/postgresql` }],
  ['both banks', { ...sandbox, ...live }],
  ['metrics on a private address', { KELPIE_METRICS_HOST: '10.1.2.3' }],
  ['metrics on a private address of IPv6', { KELPIE_METRICS_HOST: 'fd00::7' }],
  ['metrics on localhost', { KELPIE_METRICS_HOST: 'localhost' }],
  ['networks of proxies', { KELPIE_TRUSTED_PROXIES: '10.0.0.0/8,fc00::/7,104.16.0.0/13,2606:4700::/32,192.0.2.7' }],
  ['a collector beside it', { KELPIE_OTLP_URL: 'http://127.0.0.1:4318/v1/traces' }],
  ['a collector on a private address of IPv6', { KELPIE_OTLP_URL: 'http://[fd00::7]:4318/v1/traces' }],
  ['no TLS switch of Node', { NODE_TLS_REJECT_UNAUTHORIZED: '1' }],
];

for (const [what, env] of safe)
  test(`production takes ${what}`, () => {
    assert.equal(refusal(env), null);
  });

const programs: Readonly<Record<string, { file: string; args: string[]; variable: string }>> = {
  api: { file: 'service/src/app/api.ts', args: [], variable: 'KELPIE_DATABASE_URL' },
  worker: { file: 'service/src/app/worker.ts', args: [], variable: 'KELPIE_READER_DATABASE_URL' },
  'kelpie-admin migrate': { file: 'service/src/app/cli.ts', args: ['migrate'], variable: 'KELPIE_OWNER_DATABASE_URL' },
  'kelpie-admin ledger': {
    file: 'service/src/app/cli.ts',
    args: ['ledger', 'verify'],
    variable: 'KELPIE_READER_DATABASE_URL',
  },
};

for (const [name, { file, args, variable }] of Object.entries(programs))
  test(`${name} does not start in production with an unsafe setting`, async () => {
    const env = { ...productionSettings, [variable]: `${database}@db.internal/kelpie`, KELPIE_METRICS_HOST: '0.0.0.0' };
    const child = startChild({ name, file, args, env });
    const { code } = await child.exited;
    assert.equal(code, configurationExitCode, child.output());
    assert.match(child.output(), new RegExp(`^${variable} connects without verified TLS`, 'm'));
    assert.match(child.output(), /^KELPIE_METRICS_HOST is "0\.0\.0\.0"/m);
    assert.doesNotMatch(child.output(), /hunter2/);
  });
