import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { findPort } from '@kelpie/dev/free-port.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startSandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { checkDashboard } from '../../../src/app/doctor/checks/dashboard.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { inspectConfiguration } from '../../../src/platform/configuration/configuration.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { createTestClock } from '../../harness/clock.ts';
import { runCommand } from '../../harness/command.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { testSecrets } from '../../harness/secrets.ts';
import { kelpieEnv } from '../commands/kelpie-admin.ts';
import { readDiagnosis, type Diagnosis } from './findings.ts';
import { plantEncryptedPayout } from './plant-payout.ts';

// A stack in development, each part of it real. Each test plants one fault, and takes it back. What needs TLS, a standby and
// backups is in production.soak.test.ts.

const database = await createTestDatabase();
const { superuserUrl } = database;
const folder = await mkdtemp(path.join(tmpdir(), 'kelpie-doctor-'));
after(async () => rm(folder, { recursive: true }));
const clock = createTestClock();
const bank = await startSandboxBank();
const inbox = await startMailInbox({ smtp: 0, page: 0 });
after(inbox.close);
await plantEncryptedPayout(superuserUrl, testSecrets);

async function sql(text: string, values: unknown[] = []): Promise<void> {
  await asAdmin(superuserUrl, async (client) => client.query(text, values));
}

async function textOf(text: string): Promise<string> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ text: string }>(text);
    return rows[0]?.text ?? '';
  });
}

async function connectAs(url: string, applicationName: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: applicationName });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

for (const name of ['kelpie-api', 'kelpie-worker']) {
  const client = await connectAs(database.serviceUrl, name);
  after(async () => client.end());
}

const heartbeatAnchor = path.join(folder, 'heartbeat');
const auditAnchors = path.join(folder, 'audit-anchors');

/** All is well again, as far as a test can have changed it. */
async function heal(): Promise<void> {
  await sql('update kelpie.heartbeat set number = 5, at = now()');
  await writeFile(heartbeatAnchor, '5\n');
  await writeFile(
    auditAnchors,
    `${await textOf(`select seq || ':' || encode(mac, 'hex') as text from kelpie.audit_head`)}\n`,
  );
}

const env: Record<string, string> = {
  ...kelpieEnv(database),
  KELPIE_OWNER_DATABASE_URL: database.ownerUrl,
  KELPIE_SANDBOX_BANK_URL: bank.wireUrl,
  KELPIE_SANDBOX_BANK_API_KEY: bank.apiKey,
  KELPIE_SMTP_URL: `smtp://127.0.0.1:${inbox.smtpPort}`,
  KELPIE_DASHBOARD_URL: 'http://dashboard.kelpie.test',
  KELPIE_HEARTBEAT_ANCHOR: heartbeatAnchor,
  KELPIE_AUDIT_ANCHORS: auditAnchors,
  KELPIE_LEDGER_ANCHORS: path.join(folder, 'ledger-anchors'),
  KELPIE_TEST_CLOCK_FILE: clock.file,
};

/** The backups of this machine, if it has any, are not those of the test. */
const here = ['doctor', '--min-free', '1', '--config', path.join(folder, 'no-backups.conf')];

async function diagnose(more: Record<string, string> = {}, args: readonly string[] = []): Promise<Diagnosis> {
  return readDiagnosis(await runCommand({ args: [...here, ...args, '--json'], env: { ...env, ...more } }));
}

const closedPort = await findPort();
const wrongKey = 'e7'.repeat(32);

interface Fault {
  /** What goes wrong in the stack, and what takes it back. */
  plant?: () => Promise<(() => Promise<unknown>) | undefined>;
  env?: Record<string, string>;
  args?: string[];
  /** The checks that find it: these and no others. */
  checks: string[];
  says: RegExp;
}

const faults: Readonly<Record<string, Fault>> = {
  'a setting that is misspelt': {
    env: { KELPIE_LOG_LEVLE: 'info' },
    checks: ['configuration'],
    says: /KELPIE_LOG_LEVLE is not a Kelpie setting/,
  },
  'a secret that every user can read': {
    env: { KELPIE_AUDIT_KEY: '', KELPIE_AUDIT_KEY_FILE: path.join(folder, 'audit-key') },
    async plant() {
      await writeFile(path.join(folder, 'audit-key'), testSecrets.KELPIE_AUDIT_KEY);
      await chmod(path.join(folder, 'audit-key'), 0o644);
      return undefined;
    },
    checks: ['configuration'],
    says: /can read the file of KELPIE_AUDIT_KEY_FILE\. Run chmod/,
  },
  'the wrong role': {
    env: { KELPIE_DATABASE_URL: database.readerUrl },
    checks: ['database roles'],
    says: /KELPIE_DATABASE_URL connects as kelpie_reader\. Use the role kelpie_service/,
  },
  'a superuser': {
    env: { KELPIE_DATABASE_URL: superuserUrl },
    checks: ['database roles'],
    says: /KELPIE_DATABASE_URL connects as \w+, which bypasses row security\. Use the role kelpie_service/,
  },
  'an operator without the role': {
    env: { KELPIE_OPERATOR_DATABASE_URL: database.serviceUrl },
    checks: ['database roles'],
    says: /kelpie_service, which is not an operator\. Use your own login/,
  },
  'a login that is refused': {
    env: { KELPIE_OWNER_DATABASE_URL: database.ownerUrl.replace(/:[0-9a-f]{64}@/, ':hunter2@') },
    checks: ['database roles'],
    says: /KELPIE_OWNER_DATABASE_URL does not connect\. The database refused the login/,
  },
  'an api that connects as the owner': {
    async plant() {
      const client = await connectAs(database.ownerUrl, 'kelpie-api');
      return async () => client.end();
    },
    checks: ['processes'],
    says: /A running api connects as kelpie_owner\. Give it KELPIE_DATABASE_URL/,
  },
  'a migration that is pending': {
    async plant() {
      await sql(`create table public.kept as select * from kelpie.migrations order by name desc limit 1`);
      await sql('delete from kelpie.migrations where name in (select name from public.kept)');
      return async () => sql('insert into kelpie.migrations select * from public.kept; drop table public.kept');
    },
    checks: ['migrations'],
    says: /Not applied: \d{4}_.*\.sql\. Run kelpie-admin migrate/,
  },
  'a partition of next month that is missing': {
    async plant() {
      const name = await textOf(
        `select relname as text from pg_class where relname like 'activity\\_%' and relispartition
         and relname like '%' || to_char(now() + interval '1 month', 'YYYY_MM')`,
      );
      assert.notEqual(name, '');
      await sql(`drop table kelpie.${name}`);
      return async () =>
        sql(
          `select kelpie.make_month_partition(parent_name, month_start) from kelpie.missing_month_partitions(now(), 3)`,
        );
    },
    checks: ['partitions'],
    says: /Partitions missing: 1, the first for \d{4}-\d{2}\. Run kelpie-admin migrate/,
  },
  'a clock that is slow': {
    async plant() {
      clock.move(-30_000);
      return async () => clock.move(30_000);
    },
    checks: ['clock'],
    says: /This machine's clock is \d+ s behind the database\..*\n.*\d+ s behind the sandbox bank/,
  },
  'a relay that is gone': {
    env: { KELPIE_SMTP_URL: `smtp://127.0.0.1:${closedPort}` },
    checks: ['email'],
    says: /The relay cannot be used: .*\. Check KELPIE_SMTP_URL/,
  },
  'a bank that is gone': {
    env: { KELPIE_SANDBOX_BANK_URL: `http://127.0.0.1:${closedPort}/v0` },
    checks: ['bank'],
    says: /The sandbox bank cannot be reached \(ECONNREFUSED\)/,
  },
  'a bank that refuses our key': {
    env: { KELPIE_SANDBOX_BANK_API_KEY: 'sk-test-hunter2' },
    checks: ['bank'],
    says: /The sandbox bank refuses our key\. Check KELPIE_SANDBOX_BANK_API_KEY/,
  },
  'an address that is not a bank': {
    env: { KELPIE_SANDBOX_BANK_URL: `${bank.url}/nowhere` },
    checks: ['bank'],
    says: /The sandbox bank answers 404 to a simple read/,
  },
  'a data key that is missing': {
    env: { KELPIE_DATA_KEYS: `2:${wrongKey}` },
    checks: ['keys'],
    says: /KELPIE_DATA_KEYS cannot decrypt the newest recipient, which has key version 1/,
  },
  'a data key that was changed': {
    env: { KELPIE_DATA_KEYS: `1:${wrongKey}` },
    checks: ['keys'],
    says: /KELPIE_DATA_KEYS cannot decrypt the newest recipient/,
  },
  'an index key that was changed': {
    env: { KELPIE_INDEX_KEY: wrongKey },
    checks: ['keys'],
    says: /KELPIE_INDEX_KEY is not the key that this database was written with/,
  },
  'a schedule that is late': {
    async plant() {
      await sql(`update pgboss.schedule set created_on = now() - interval '3 days' where name = 'reconcile'`);
      return async () => sql(`update pgboss.schedule set created_on = now() where name = 'reconcile'`);
    },
    checks: ['schedules'],
    says: /reconcile has not succeeded for 72 h\. Check that a worker runs/,
  },
  'a worker that died': {
    async plant() {
      await sql(`update kelpie.heartbeat set at = now() - interval '1 hour'`);
      return undefined;
    },
    checks: ['worker heartbeat'],
    says: /No worker has raised the heartbeat for 60 min/,
  },
  'a database that was restored': {
    async plant() {
      await writeFile(heartbeatAnchor, '9\n');
      return undefined;
    },
    checks: ['anchors'],
    says: /The database is older than its heartbeat anchor/,
  },
  'an audit log that was rolled back': {
    async plant() {
      await writeFile(auditAnchors, `1:${'0'.repeat(64)}\n`);
      return undefined;
    },
    checks: ['anchors'],
    says: /The audit log differs from KELPIE_AUDIT_ANCHORS at entry 1\. Run kelpie-admin audit verify/,
  },
  'storage that is not mounted': {
    env: { KELPIE_LEDGER_ANCHORS: '/nowhere/ledger-anchors' },
    checks: ['anchors', 'disk'],
    says: /KELPIE_LEDGER_ANCHORS cannot be written\. Mount its storage/,
  },
  'a rail that is paused': {
    async plant() {
      await sql(
        `select kelpie.add_payment_block('rail_paused', 'provider_production', null, null, 'a test', now(), 'test')`,
      );
      return async () => sql('delete from kelpie.payment_blocks');
    },
    checks: ['payment blocks'],
    says: /Payments on the rail provider_production are stopped \(rail_paused\)/,
  },
  'a disk that is nearly full': {
    args: ['--min-free', '999999999'],
    checks: ['disk'],
    says: /has \d+ MB left\. Free space/,
  },
};

test('a healthy stack has no problem', async () => {
  await heal();
  const { code, problems, findings, said } = await diagnose();
  assert.deepEqual(problems, [], findings.join('\n'));
  assert.equal(code, 0);
  assert.match(findings.join('\n'), /^warning configuration: KELPIE_MODE is development/m);
  assert.doesNotMatch(said, /hunter2|[0-9a-f]{64}/);
});

for (const [what, { plant, env: more = {}, args = [], checks, says }] of Object.entries(faults))
  test(`the doctor names ${what}, and nothing else`, async () => {
    await heal();
    const undo = await plant?.();
    try {
      const { code, problems, findings, said } = await diagnose(more, args);
      assert.deepEqual(problems, checks, findings.join('\n'));
      assert.match(findings.filter((each) => each.startsWith('problem')).join('\n'), says);
      assert.equal(code, 1);
      assert.doesNotMatch(said, /hunter2|[0-9a-f]{64}/);
    } finally {
      await undo?.();
    }
  });

test('the doctor names a dashboard that is not built', async () => {
  const given = inspectConfiguration({ KELPIE_MODE: 'development' });
  const options = { configFile: null, stanza: 'kelpie', maxBackupAgeHours: 26, minFreeMegabytes: 1 };
  const logger = createLogger('cli', 'silent', process.stderr);
  const deps = { env: {}, given, clock: systemClock, logger, reader: null, options };
  const [finding] = await checkDashboard(deps, path.join(folder, 'dist')).run(AbortSignal.timeout(1_000));
  assert.equal(finding?.status, 'problem');
  assert.match(finding?.message ?? '', /not built.*npm run dashboard:build/);
});

test('without a database, each check says that it could not look, and the others still do', async () => {
  await heal();
  const { code, problems, findings } = await diagnose({
    KELPIE_READER_DATABASE_URL: `postgres://kelpie_reader:hunter2@127.0.0.1:${closedPort}/kelpie`,
  });
  assert.equal(code, 1);
  assert(problems.includes('database roles') && problems.includes('schedules'));
  assert.match(findings.join('\n'), /^ok bank: The sandbox bank answers/m);
  assert.match(findings.join('\n'), /^ok email: The relay answers/m);
});

test('without any settings, it says what it could not check, on a line for each', async () => {
  const elsewhere = { KELPIE_MODE: 'development', KELPIE_DASHBOARD_URL: 'http://dashboard.kelpie.test' };
  const { code, output } = await runCommand({ args: here, env: elsewhere });
  assert.equal(code, 0, output);
  assert.match(output, /^warning {2}migrations {8,}Not checked: KELPIE_READER_DATABASE_URL is not set\.$/m);
  assert.match(output, /^0 problems, \d+ warnings\.$/m);
});
