import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startChild, type Child } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { createBackupRepository } from '@kelpie/dev/postgres/backup-repository.ts';
import { startOwnServer } from '@kelpie/dev/postgres/own-server.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { kelpieAdmin } from '../app/commands/kelpie-admin.ts';
import { createTestClock } from '../harness/clock.ts';
import { runCommand } from '../harness/command.ts';
import { testSecrets } from '../harness/secrets.ts';
import { startRecoveryWorld } from './restoring.ts';

// A server of its own that archives with pgBackRest, payouts before and after a backup, and a repository that is damaged.

const server = await startOwnServer();
after(async () => server.remove());
const urls = await prepareDatabase(server.adminUrl);
await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
const database = { ...urls, superuserUrl: urlFor(server.adminUrl, 'kelpie') };
const repository = await createBackupRepository(server.adminUrl);
after(async () => repository.remove());
const world = await startRecoveryWorld({ database });
const folder = await mkdtemp('/var/tmp/kelpie-drills-');
// PostgreSQL's own user must be able to enter it.
await chmod(folder, 0o711);
after(async () => rm(folder, { recursive: true, force: true }));
const anchors = path.join(folder, 'anchors');
const directory = path.join(folder, 'copies');
await mkdir(directory);
const clock = createTestClock();

/** Nothing of the service: not even an address of its database. */
const env = {
  KELPIE_MODE: 'development',
  KELPIE_LOG_LEVEL: 'warn',
  KELPIE_AUDIT_KEY: testSecrets.KELPIE_AUDIT_KEY,
  KELPIE_AUDIT_ANCHORS: anchors,
  KELPIE_TEST_CLOCK_FILE: clock.file,
};

function drillArgs({ configFile }: { configFile: string } = repository): string[] {
  return ['recovery', 'drill', '--config', configFile, '--directory', directory, '--json'];
}

interface Drilled {
  code: number | null;
  data: unknown;
  said: string;
  codes: string[];
  messages: string;
}

async function drill(damaged?: { configFile: string }): Promise<Drilled> {
  const { code, printed, output } = await runCommand({ args: drillArgs(damaged), env });
  assert.deepEqual(await readdir(directory), [], 'the drill left something behind');
  const data = valueAt(JSON.parse(printed), 'data');
  const findings = data === undefined ? [] : listAt(data, 'findings');
  return {
    code,
    data,
    said: output,
    codes: findings.map((each) => textAt(each, 'code')),
    messages: findings.map((each) => textAt(each, 'message')).join('\n'),
  };
}

async function sql<Row extends object>(text: string): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (admin) => (await admin.query<Row>(text)).rows);
}

async function countEntries(): Promise<number> {
  const [row] = await sql<{ count: number }>('select count(*)::int as count from kelpie.ledger_entries');
  return row?.count ?? -1;
}

async function pay(): Promise<void> {
  const paid = await world.pay(randomUUID());
  assert.equal(paid.status, 201, paid.text);
}

/** The only file of the repository that matches. */
function fileIn(root: string, pattern: string): string {
  const [file] = globSync(pattern, { cwd: root }).toSorted();
  assert(file !== undefined, `the repository has no ${pattern}`);
  return path.join(root, file);
}

/** In place of the file, which other copies of the repository share. */
async function replace(file: string, change: (bytes: Buffer) => Buffer | string): Promise<void> {
  const changed = change(await readFile(file));
  await rm(file);
  await writeFile(file, changed);
}

async function flipByte(file: string): Promise<void> {
  await replace(file, (bytes) => {
    const at = Math.floor(bytes.length / 2);
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    return bytes;
  });
}

await pay();
await world.settle();
await repository.takeBackup('full');
const segments: string[] = [];
for (let each = 0; each < 4; each += 1) {
  await pay();
  segments.push(await repository.archiveWal());
}
await world.settle();
await Promise.all([world.api.stop(), world.worker?.stop()]);
segments.push(await repository.archiveWal());

test('faults 76: a drill restores the newest backup with all archived WAL, verifies it and leaves nothing behind', async (t) => {
  const drilled = await drill();
  assert.equal(drilled.code, 0, drilled.said);
  assert.deepEqual(drilled.codes, []);
  assert.equal(valueAt(drilled.data, 'ledger.entries'), await countEntries());
  assert.equal(valueAt(drilled.data, 'audit.rows'), 1);
  assert.match(textAt(drilled.data, 'backup.label'), /^\d{8}-\d{6}F$/);
  assert(Number(valueAt(drilled.data, 'lost_seconds')) < 600, drilled.said);
  for (const step of ['restore', 'recovery', 'verification'])
    assert(Number(valueAt(drilled.data, `seconds.${step}`)) > 0, drilled.said);
  // A copy that archived would have written its own timeline there.
  assert.deepEqual(globSync('archive/**/0000000[2-9]*', { cwd: repository.folder }), []);
  t.diagnostic(drilled.said);
});

test('an act after the restored moment is reported as lost work, and an older one must be in the copy', async () => {
  const suspended = await kelpieAdmin(
    database,
    ['partners', 'suspend', world.partner.partnerId, '--reason', 'a test', '--json'],
    { ...world.adminEnv, KELPIE_AUDIT_ANCHORS: anchors },
  );
  assert.equal(suspended.code, 0, suspended.said);
  const before = await drill();
  assert.equal(before.code, 0, before.said);
  assert.deepEqual([valueAt(before.data, 'audit.anchors'), valueAt(before.data, 'audit.lost_entries')], [0, 1]);
  segments.push(await repository.archiveWal());
  const since = await drill();
  assert.equal(since.code, 0, since.said);
  assert.deepEqual([valueAt(since.data, 'audit.anchors'), valueAt(since.data, 'audit.lost_entries')], [1, 0]);
});

test('faults 76: a newest backup that is too old is found, and so is WAL that is no longer archived', async () => {
  clock.move(27 * 3_600_000);
  const drilled = await drill();
  clock.move(-27 * 3_600_000);
  assert.equal(drilled.code, 1, drilled.said);
  assert.deepEqual(drilled.codes, ['backup_old', 'work_lost']);
  assert.match(drilled.messages, /is 27 hours old, and 26 are allowed\. Check the timer/);
  assert.match(drilled.messages, /15 minutes of loss are allowed\. Check that a worker runs/);
});

const damages: readonly {
  name: string;
  codes: readonly string[];
  says: RegExp;
  damage: (root: string) => Promise<void>;
}[] = [
  {
    name: 'a damaged file in the backup',
    codes: ['restore_failed'],
    says: /cannot be restored: .*Take a new full backup/s,
    damage: async (root) => flipByte(fileIn(root, 'backup/kelpie/*F/pg_data/base/*/1259.gz')),
  },
  {
    name: 'a file missing from the backup',
    codes: ['restore_failed'],
    says: /cannot be restored: .*1249/,
    damage: async (root) => rm(fileIn(root, 'backup/kelpie/*F/pg_data/base/*/1249.gz')),
  },
  {
    name: 'a missing WAL segment with others after it',
    codes: ['wal_missing'],
    says: /segment 0000000100000000000000[0-9A-F]{2} is missing or damaged.*Take a full backup now/,
    damage: async (root) => rm(fileIn(root, `archive/kelpie/15-1/*/${segments[2]}-*`)),
  },
  {
    name: 'a damaged WAL segment with others after it',
    codes: ['wal_missing'],
    says: /is missing or damaged \(.+\)/,
    damage: async (root) => flipByte(fileIn(root, `archive/kelpie/15-1/*/${segments[2]}-*`)),
  },
  {
    name: 'a damaged newest WAL segment',
    codes: ['wal_missing'],
    says: /is missing or damaged \(.+\)/,
    damage: async (root) => flipByte(fileIn(root, `archive/kelpie/15-1/*/${segments.at(-1)}-*`)),
  },
  {
    name: 'the WAL of the backup itself missing',
    codes: ['recovery_failed'],
    says: /PostgreSQL cannot recover the backup\. It stopped/,
    damage: async (root) => {
      const info = JSON.stringify(await readFile(fileIn(root, 'backup/kelpie/backup.info'), 'utf8'));
      const [, wal = ''] = /backup-archive-start\\*":\\*"([0-9A-F]{24})/.exec(info) ?? [];
      await rm(fileIn(root, `archive/kelpie/15-1/*/${wal}-*`));
    },
  },
  {
    name: 'a damaged list of backups',
    codes: ['repository_unavailable'],
    says: /The repository of kelpie cannot be read/,
    damage: async (root) => {
      for (const end of ['', '.copy']) await replace(`${root}/backup/kelpie/backup.info${end}`, () => 'x');
    },
  },
  {
    name: 'a repository without a backup',
    codes: ['repository_unavailable'],
    says: /The repository of kelpie cannot be read/,
    damage: async (root) => rm(`${root}/backup`, { recursive: true }),
  },
  {
    name: 'a repository that is not there',
    codes: ['repository_unavailable'],
    says: /\(missing stanza path\)\. Check its path and storage/,
    damage: async (root) => rm(root, { recursive: true }),
  },
];

for (const { name, codes, says, damage } of damages)
  test(`faults 76: a drill finds ${name}, and says what to do`, async (t) => {
    const damaged = await repository.copy();
    await damage(damaged.folder);
    const drilled = await drill(damaged);
    t.diagnostic(drilled.messages);
    assert.equal(drilled.code, 1, drilled.said);
    assert.deepEqual(drilled.codes, codes, drilled.said);
    assert.match(drilled.messages, says);
  });

function startDrill(): Child {
  return startChild({ name: 'kelpie-admin recovery drill', file: 'service/src/app/cli.ts', args: drillArgs(), env });
}

/** Processes that work on a copy, whatever their user. */
function processesOnCopies(): string[] {
  return globSync('/proc/[0-9]*/cmdline').filter((file) => {
    try {
      return readFileSync(file, 'utf8').includes(`${directory}/kelpie-drill-`);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

/** Looks often, because a small copy is verified within a second. */
async function untilServerRuns(drilling: Child): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (globSync('*/data/postmaster.pid', { cwd: directory }).length === 0) {
    assert(performance.now() < deadline && drilling.printed() === '', drilling.output());
    await wait(10);
  }
}

test('a drill that is ended by SIGTERM stops what it started, and leaves nothing behind', async () => {
  const drilling = startDrill();
  await untilServerRuns(drilling);
  drilling.kill('SIGTERM');
  const { code } = await drilling.exited;
  assert.equal(code, 2, drilling.output());
  assert.equal(textAt(JSON.parse(drilling.printed()), 'error.code'), 'interrupted');
  assert.deepEqual(processesOnCopies(), []);
  assert.deepEqual(await readdir(directory), []);
});

test('a drill that is killed takes its server with it', async () => {
  const drilling = startDrill();
  await untilServerRuns(drilling);
  drilling.kill('SIGKILL');
  await drilling.exited;
  await eventually('no process is left', async () => processesOnCopies().length === 0);
  for (const left of await readdir(directory)) await rm(path.join(directory, left), { recursive: true });
});

test('a stanza that the repository does not have is found, and a folder that cannot be used is refused', async () => {
  const missing = await runCommand({ args: [...drillArgs(), '--stanza', 'other'], env });
  assert.equal(missing.code, 1, missing.output);
  const noDatabase = await runCommand({ args: [...drillArgs(), '--database', 'other'], env });
  assert.equal(textAt(JSON.parse(noDatabase.printed), 'error.code'), 'not_found', noDatabase.output);
  const nowhere = await runCommand({ args: [...drillArgs(), '--directory', '/proc/nowhere'], env });
  assert.equal(nowhere.code, 2, nowhere.output);
  assert.match(textAt(JSON.parse(nowhere.printed), 'error.message'), /cannot be written/);
});

// The last ones: they damage the database itself.
test('faults 76: a drill finds a ledger and an audit log that differ in the copy', async () => {
  await asAdmin(database.superuserUrl, async (admin) => {
    await admin.query('set session_replication_role = replica');
    await admin.query(
      `update kelpie.ledger_entries set amount = amount + 1 where ctid = (select min(ctid) from kelpie.ledger_entries)`,
    );
    await admin.query(`update kelpie.audit_log set operator = 'eve@kelpie.example' where seq = 1`);
  });
  await repository.archiveWal();
  const drilled = await drill();
  assert.equal(drilled.code, 1, drilled.said);
  assert.deepEqual(drilled.codes, ['ledger_differs', 'audit_differs']);
});
