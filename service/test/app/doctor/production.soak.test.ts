import assert from 'node:assert/strict';
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import { after, test } from 'node:test';
import { createServer } from 'node:tls';
import { Client } from 'pg';
import { startChild } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import { createBackupRepository } from '@kelpie/dev/postgres/backup-repository.ts';
import { startOwnServer } from '@kelpie/dev/postgres/own-server.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { testCertificate } from '@kelpie/dev/test-certificate.ts';
import { startSandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { createTestClock } from '../../harness/clock.ts';
import { productionSettings } from '../../harness/production-settings.ts';
import { readDiagnosis, type Diagnosis } from './findings.ts';
import { plantEncryptedPayout } from './plant-payout.ts';

// An installation as production has it: TLS everywhere, a synchronous standby, an archive and a backup.

const folder = await mkdtemp('/var/tmp/kelpie-doctor-');
await chmod(folder, 0o711);
after(async () => rm(folder, { recursive: true, force: true }));
const authority = path.join(folder, 'ca.crt');
await writeFile(authority, testCertificate.cert, { mode: 0o644 });

const server = await startOwnServer();
after(async () => server.remove());
const { adminUrl } = server;

async function sqlOn(url: string, text: string): Promise<string> {
  return asAdmin(url, async (client) => {
    const { rows } = await client.query<{ text: string }>(text);
    return rows[0]?.text ?? '';
  });
}

/** The server's own user must own its key. */
async function turnTlsOn(): Promise<void> {
  const data = await sqlOn(adminUrl, `select current_setting('data_directory') as text`);
  const { uid, gid } = await stat(data);
  for (const [name, text] of [
    ['server.crt', testCertificate.cert],
    ['server.key', testCertificate.key],
  ] as const) {
    await writeFile(path.join(data, name), text, { mode: 0o600 });
    await chown(path.join(data, name), uid, gid);
  }
  await sqlOn(adminUrl, `alter system set ssl = 'on'`);
  await sqlOn(adminUrl, 'select pg_reload_conf()');
}

await turnTlsOn();
const urls = await prepareDatabase(adminUrl);
await beginAudit(urls, productionSettings.KELPIE_AUDIT_KEY);
const superuserUrl = urlFor(adminUrl, 'kelpie');
await plantEncryptedPayout(superuserUrl, productionSettings);
const repository = await createBackupRepository(adminUrl);
after(async () => repository.remove());
await repository.takeBackup('full');
const standby = await server.addSynchronousStandby();
await eventually(
  'the standby confirms',
  async () => (await sqlOn(adminUrl, `select sync_state as text from pg_stat_replication`)) === 'sync',
);
await repository.archiveWal();

/** TLS in front of what speaks without. */
async function startTls(port: number): Promise<number> {
  const proxy = createServer(testCertificate, (socket) => {
    const behind = connect(port, '127.0.0.1');
    socket.pipe(behind).pipe(socket);
    for (const end of [socket, behind]) end.on('error', () => end.destroy());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  after(() => proxy.close());
  const address = proxy.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const sandbox = await startSandboxBank();
const live = await startSandboxBank({ mode: 'live-stand-in', env: { BANK_API_KEY: 'sk-live-stand-in' } });
const relay = await startMailInbox({ smtp: 0, page: 0, certificate: testCertificate });
after(relay.close);

function verified(url: string): string {
  return `${url}?sslmode=verify-full&sslrootcert=${authority}`;
}

const heartbeatAnchor = path.join(folder, 'heartbeat');
const auditAnchors = path.join(folder, 'audit-anchors');
await writeFile(
  auditAnchors,
  `${await sqlOn(superuserUrl, `select seq || ':' || encode(mac, 'hex') as text from kelpie.audit_head`)}\n`,
);

/** As a unit hands it over. */
const dataKeys = path.join(folder, 'data-keys');
await writeFile(dataKeys, `${productionSettings.KELPIE_DATA_KEYS}\n`, { mode: 0o600 });

for (const name of ['kelpie-api', 'kelpie-worker']) {
  const client = new Client({ connectionString: verified(urls.serviceUrl), application_name: name });
  client.on('error', () => undefined);
  await client.connect();
  after(async () => client.end());
}

const env: Record<string, string> = {
  ...productionSettings,
  KELPIE_DATABASE_URL: verified(urls.serviceUrl),
  KELPIE_OWNER_DATABASE_URL: verified(urls.ownerUrl),
  KELPIE_READER_DATABASE_URL: verified(urls.readerUrl),
  KELPIE_OPERATOR_DATABASE_URL: verified(urls.operatorUrl),
  KELPIE_SANDBOX_BANK_URL: `https://localhost:${await startTls(sandbox.port)}/v0`,
  KELPIE_SANDBOX_BANK_API_KEY: sandbox.apiKey,
  KELPIE_LIVE_BANK_URL: `https://127.0.0.1:${await startTls(live.port)}/v0`,
  KELPIE_LIVE_BANK_API_KEY: live.apiKey,
  KELPIE_SMTP_URL: `smtp://localhost:${relay.smtpPort}`,
  KELPIE_DASHBOARD_URL: 'https://dashboard.kelpie.example',
  KELPIE_HEARTBEAT_ANCHOR: heartbeatAnchor,
  KELPIE_AUDIT_ANCHORS: auditAnchors,
  KELPIE_LEDGER_ANCHORS: path.join(folder, 'ledger-anchors'),
  NODE_EXTRA_CA_CERTS: authority,
  KELPIE_DATA_KEYS: '',
  KELPIE_DATA_KEYS_FILE: dataKeys,
};

async function beat(): Promise<void> {
  await sqlOn(superuserUrl, 'update kelpie.heartbeat set number = 5, at = now()');
  await writeFile(heartbeatAnchor, '5\n');
}

async function diagnose(more: Record<string, string> = {}, args: readonly string[] = []): Promise<Diagnosis> {
  const child = startChild({
    name: 'kelpie-admin doctor',
    file: 'service/src/app/cli.ts',
    args: ['doctor', '--min-free', '1', '--config', repository.configFile, ...args, '--json'],
    env: { ...env, ...more },
  });
  const { code } = await child.exited;
  return readDiagnosis({ code, printed: child.printed(), output: child.output() });
}

function assertProblems({ problems, findings, code }: Diagnosis, checks: readonly string[], says: RegExp): void {
  assert.deepEqual(problems, checks, findings.join('\n'));
  assert.match(findings.join('\n'), says);
  assert.equal(code, checks.length === 0 ? 0 : 1);
}

test('a healthy production has neither problem nor warning', async () => {
  await beat();
  const diagnosis = await diagnose();
  assertProblems(diagnosis, [], /^ok replication: Standbys: 1, synchronous: 1/m);
  const all = diagnosis.findings.join('\n');
  assert.doesNotMatch(all, /^warning/m, all);
  assert.match(all, /^ok database TLS: KELPIE_DATABASE_URL uses TLS/m);
  assert.match(all, /^ok backup: The newest backup is \d+ s old/m);
  assert.match(all, /^ok email: The relay answers over TLS/m);
  assert.match(all, /^ok bank: The live bank answers and accepts our key/m);
  assert.doesNotMatch(diagnosis.said, /[0-9a-f]{64}/);
});

test('people read one line per finding', async () => {
  await beat();
  const args = ['doctor', '--min-free', '1', '--config', repository.configFile];
  const child = startChild({ name: 'doctor', file: 'service/src/app/cli.ts', args, env });
  const { code } = await child.exited;
  assert.equal(code, 0, child.output());
  assert.match(child.printed(), /^ok {7}backup +The newest backup/m);
  assert.match(child.printed(), /\nAll is well\.\n?$/);
});

test('a database without TLS is named, as a setting and as a connection', async () => {
  await beat();
  const diagnosis = await diagnose({ KELPIE_DATABASE_URL: urls.serviceUrl });
  assertProblems(diagnosis, ['configuration', 'database TLS'], /KELPIE_DATABASE_URL connects without TLS/);
});

test('a certificate of another name is not accepted, although the authority is', async () => {
  await beat();
  const elsewhere = urls.ownerUrl.replace('127.0.0.1', '127.0.0.2');
  await sqlOn(adminUrl, `alter system set listen_addresses = '*'`);
  await server.stop();
  await server.start();
  const diagnosis = await diagnose({ KELPIE_OWNER_DATABASE_URL: verified(elsewhere) });
  assert(diagnosis.problems.includes('database roles'), diagnosis.findings.join('\n'));
  assert.match(
    diagnosis.findings.join('\n'),
    /KELPIE_OWNER_DATABASE_URL does not connect\..*ERR_TLS_CERT_ALTNAME_INVALID/,
  );
});

test('a relay without STARTTLS is named', async () => {
  const inbox = await startMailInbox({ smtp: 0, page: 0 });
  try {
    await beat();
    const diagnosis = await diagnose({ KELPIE_SMTP_URL: `smtp://localhost:${inbox.smtpPort}` });
    assert(diagnosis.problems.includes('email'), diagnosis.findings.join('\n'));
    assert.match(diagnosis.findings.join('\n'), /The relay cannot be used: it does not offer STARTTLS/);
  } finally {
    await inbox.close();
  }
});

test('a backup that is missing, and one that is old, are named', async () => {
  await beat();
  const missing = await diagnose({}, ['--stanza', 'elsewhere']);
  assert(missing.problems.includes('backup'), missing.findings.join('\n'));
  const clock = createTestClock();
  clock.move(30 * 60 * 60_000);
  const old = await diagnose({ KELPIE_MODE: 'development', KELPIE_TEST_CLOCK_FILE: clock.file });
  assert.match(old.findings.join('\n'), /^problem backup: The newest backup is 30 h old/m);
});

test('an address that leads to a standby is named', async () => {
  await beat();
  const url = new URL(urls.readerUrl);
  url.port = String(standby.port);
  const diagnosis = await diagnose({ KELPIE_READER_DATABASE_URL: verified(url.href) });
  assert.match(diagnosis.findings.join('\n'), /^problem replication: The address leads to a standby/m);
});

test('an archive that fails is named', async () => {
  await sqlOn(adminUrl, `alter system set archive_command = 'false'`);
  await sqlOn(adminUrl, 'select pg_reload_conf()');
  await sqlOn(adminUrl, `select pg_switch_wal()::text as text from pg_create_restore_point('unarchived')`);
  await eventually('an attempt has failed', async () => {
    const count = await sqlOn(
      adminUrl,
      `select (last_failed_time > last_archived_time)::text as text from pg_stat_archiver`,
    );
    return count === 'true';
  });
  await beat();
  assertProblems(await diagnose(), ['WAL archive'], /WAL cannot be archived/);
});

test('a standby that is gone is named', async () => {
  await beat();
  await standby.stop('immediate');
  await eventually(
    'the server has noticed',
    async () => (await sqlOn(adminUrl, `select count(*)::text as text from pg_stat_replication`)) === '0',
  );
  const diagnosis = await diagnose();
  assert.match(
    diagnosis.findings.join('\n'),
    /^problem replication: No standby is connected, so no write is confirmed/m,
  );
});
