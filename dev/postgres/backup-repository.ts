import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { eventually } from '../eventually.ts';
import { asPostgres, ClusterError } from './cluster.ts';
import { asAdmin } from './roles.ts';

const stanza = 'kelpie';

/** A repository of pgBackRest that a server archives to. */
export interface BackupRepository {
  /** Its backups and archive: what a test may damage. */
  folder: string;
  /** What production has in /etc/pgbackrest/pgbackrest.conf. */
  configFile: string;
  takeBackup(type: 'full' | 'incr'): Promise<void>;
  /** Closes the current WAL segment, and waits until it is archived. Returns its name. */
  archiveWal(): Promise<string>;
  /** The same contents under another path. A file of it may be removed or replaced. */
  copy(): Promise<Pick<BackupRepository, 'folder' | 'configFile'>>;
  remove(): Promise<void>;
}

async function writeOwned(file: string, text: string, likeFolder: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600 });
  const { uid, gid } = await stat(likeFolder);
  await chown(file, uid, gid);
}

async function createFolder(folder: string, likeFolder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  const { uid, gid } = await stat(likeFolder);
  await chown(folder, uid, gid);
}

async function readSetting(adminUrl: string, name: string): Promise<string> {
  return asAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ value: string }>('select current_setting($1) as value', [name]);
    return rows[0]?.value ?? '';
  });
}

/** Lets a server of the test's own (`startOwnServer`) archive with pgBackRest, into a new repository. */
export async function createBackupRepository(adminUrl: string): Promise<BackupRepository> {
  if (!existsSync('/usr/bin/pgbackrest'))
    throw new ClusterError('pgBackRest is not installed. On Debian: apt-get install -y pgbackrest');
  const data = await readSetting(adminUrl, 'data_directory');
  const { port, password } = new URL(adminUrl);
  const root = `/var/tmp/kelpie-backups-${randomBytes(6).toString('hex')}`;
  const [passwords, locks] = [path.join(root, 'pgpass'), path.join(root, 'locks')];
  await createFolder(root, data);
  await createFolder(locks, data);
  await writeOwned(passwords, `*:*:*:postgres:${password}\n`, data);

  const create = async (name: string): Promise<Pick<BackupRepository, 'folder' | 'configFile'>> => {
    const folder = path.join(root, name);
    const configFile = `${folder}.conf`;
    const socketPath = await readSetting(adminUrl, 'unix_socket_directories');
    const lines = [
      '[global]',
      `repo1-path=${folder}`,
      'repo1-retention-full=2',
      `lock-path=${locks}`,
      'log-level-file=off',
      'start-fast=y',
      // Otherwise it reads a damaged file again for half a minute.
      'job-retry=0',
      `[${stanza}]`,
      `pg1-path=${data}`,
      `pg1-port=${port}`,
      `pg1-socket-path=${socketPath}`,
    ];
    await writeOwned(configFile, `${lines.join('\n')}\n`, data);
    return { folder, configFile };
  };

  const { folder, configFile } = await create('repository');
  await createFolder(folder, data);
  const archived = `pgbackrest --config=${configFile} --stanza=${stanza} archive-push %p`;
  const pgbackrest = async (...args: string[]): Promise<void> =>
    asPostgres('/usr/bin/env', [
      `PGPASSFILE=${passwords}`,
      'pgbackrest',
      `--config=${configFile}`,
      `--stanza=${stanza}`,
      ...args,
    ]);
  await pgbackrest('stanza-create');
  await asAdmin(adminUrl, async (admin) => {
    await admin.query(`alter system set archive_command = ${admin.escapeLiteral(archived)}`);
    await admin.query('select pg_reload_conf()');
  });
  await eventually('the archive command', async () => (await readSetting(adminUrl, 'archive_command')) === archived);

  return {
    folder,
    configFile,
    takeBackup: async (type) => pgbackrest(`--type=${type}`, 'backup'),
    async archiveWal() {
      return asAdmin(adminUrl, async (admin) => {
        // A segment without a record is not closed.
        const { rows } = await admin.query<{ wal: string }>(
          `select pg_walfile_name(pg_switch_wal()) as wal from pg_create_restore_point('archived')`,
        );
        const wal = rows[0]?.wal ?? '';
        await eventually(`WAL segment ${wal} is archived`, async () => {
          const { rows: archiver } = await admin.query<{ last: string | null }>(
            'select last_archived_wal as last from pg_stat_archiver',
          );
          return (archiver[0]?.last ?? '') >= wal;
        });
        return wal;
      });
    },
    async copy() {
      const copied = await create(`copy-${(await readdir(root)).length}`);
      // Hard links: a file that a test damages has to be replaced, not written to.
      await asPostgres('/usr/bin/cp', ['-al', folder, copied.folder]);
      return copied;
    },
    remove: async () => rm(root, { recursive: true, force: true }),
  };
}
