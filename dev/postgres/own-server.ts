import { randomBytes } from 'node:crypto';
import { appendFile, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { asPostgres, findPrograms, freePort } from './cluster.ts';
import { asAdmin } from './roles.ts';

const run = promisify(execFile);

/** A PostgreSQL of a test's own, as safe as production, that it may kill, back up and restore. */
export interface OwnServer {
  /** Connects as a superuser. The address stays the same through a restore. */
  adminUrl: string;
  port: number;
  /** A base backup, as pg_basebackup takes it from a server that works on. */
  takeBaseBackup(): Promise<void>;
  /** Throws the data away, and starts the base backup, rolled forward to a restore point that was named before. */
  restoreTo(restorePoint: string): Promise<void>;
  /** A standby without which no commit is confirmed. */
  addSynchronousStandby(): Promise<Standby>;
  start(): Promise<void>;
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  remove(): Promise<void>;
}

interface Standby {
  adminUrl: string;
  port: number;
  start(): Promise<void>;
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  /** Makes it the primary. */
  promote(): Promise<void>;
  /** It stays connected and does nothing, as on a machine that hangs. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}

interface Folders {
  parent: string;
  data: string;
  backup: string;
  archive: string;
  password: string;
}

async function createFolders(): Promise<Folders> {
  const parent = `/var/tmp/kelpie-own-${randomBytes(6).toString('hex')}`;
  const [data, backup, archive, password] = ['data', 'backup', 'archive', 'password'].map((name) =>
    path.join(parent, name),
  );
  if (data === undefined || backup === undefined || archive === undefined || password === undefined)
    throw new Error('no folders');
  await mkdir(archive, { recursive: true });
  await writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600 });
  if (process.getuid?.() === 0) {
    const { stdout } = await run('id', ['-u', 'postgres']);
    for (const owned of [parent, archive, password]) await chown(owned, Number(stdout), -1);
  }
  return { parent, data, backup, archive, password };
}

async function addSettings(folder: string, settings: readonly string[]): Promise<void> {
  await appendFile(path.join(folder, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
}

interface Control {
  start: () => Promise<void>;
  stop: (how?: 'fast' | 'immediate') => Promise<void>;
  promote: () => Promise<void>;
}

/** pg_ctl of one data folder. */
function controlOf(programs: string, { parent, data, port }: { parent: string; data: string; port: number }): Control {
  const control = async (...args: string[]): Promise<void> =>
    asPostgres(`${programs}/pg_ctl`, ['-D', data, '-w', '-t', '60', ...args]);
  return {
    start: async () => control('-l', path.join(parent, `log-${port}`), '-o', `-p ${port}`, 'start'),
    stop: async (how = 'fast') => control('-m', how, 'stop'),
    promote: async () => control('promote'),
  };
}

/** Signals a server and all of its processes, which are children of the first. */
async function signalServer(data: string, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  const [first = ''] = (await readFile(path.join(data, 'postmaster.pid'), 'utf8')).split('\n');
  const postmaster = Number(first);
  const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(postmaster)]);
  const children = stdout.split('\n').filter((line) => line.trim() !== '');
  for (const pid of [postmaster, ...children.map(Number)]) process.kill(pid, signal);
}

async function addStandby(programs: string, parent: string, adminUrl: string): Promise<Standby> {
  const port = await freePort();
  const data = path.join(parent, `standby-${port}`);
  const primary = new URL(adminUrl);
  await asPostgres(`${programs}/pg_basebackup`, ['-D', data, '-d', adminUrl, '-c', 'fast', '-X', 'stream']);
  const conninfo = `host=127.0.0.1 port=${primary.port} user=postgres password=${primary.password}`;
  await addSettings(data, [`primary_conninfo = '${conninfo} application_name=standby'`]);
  await asPostgres('/usr/bin/touch', [path.join(data, 'standby.signal')]);
  const control = controlOf(programs, { parent, data, port });
  await control.start();
  await asAdmin(adminUrl, async (admin) => {
    await admin.query(`alter system set synchronous_standby_names = 'standby'`);
    await admin.query('select pg_reload_conf()');
  });
  const url = new URL(adminUrl);
  url.port = String(port);
  return {
    ...control,
    adminUrl: url.href,
    port,
    freeze: async () => signalServer(data, 'SIGSTOP'),
    thaw: async () => signalServer(data, 'SIGCONT'),
  };
}

export async function startOwnServer(): Promise<OwnServer> {
  const programs = await findPrograms();
  const folders = await createFolders();
  const { parent, data, backup, archive, password } = folders;
  const port = await freePort();
  const secret = (await readFile(password, 'utf8')).trim();
  const adminUrl = `postgres://postgres:${secret}@127.0.0.1:${port}/postgres`;
  const authentication = ['-A', 'md5', '--pwfile', password, '-U', 'postgres'];
  await asPostgres(`${programs}/initdb`, ['-D', data, ...authentication, '-E', 'UTF8', '--locale=C.UTF-8']);
  await addSettings(data, [
    `listen_addresses = '127.0.0.1'`,
    `unix_socket_directories = '${parent}'`,
    'max_connections = 200',
    `log_min_messages = 'fatal'`,
    'archive_mode = on',
    `archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
  ]);
  const standbys: Standby[] = [];
  const { start, stop } = controlOf(programs, { parent, data, port });
  const server: OwnServer = {
    adminUrl,
    port,
    start,
    stop,
    async addSynchronousStandby() {
      const standby = await addStandby(programs, parent, adminUrl);
      standbys.push(standby);
      return standby;
    },
    async takeBaseBackup() {
      await asPostgres(`${programs}/pg_basebackup`, ['-D', backup, '-d', adminUrl, '-c', 'fast', '-X', 'none']);
    },
    async restoreTo(restorePoint) {
      await rm(data, { recursive: true, force: true });
      await rename(backup, data);
      await addSettings(data, [
        `restore_command = 'cp ${archive}/%f %p'`,
        `recovery_target_name = '${restorePoint}'`,
        `recovery_target_action = 'promote'`,
      ]);
      await asPostgres('/usr/bin/touch', [path.join(data, 'recovery.signal')]);
      await server.start();
    },
    async remove() {
      // One that a test left frozen would not listen.
      for (const one of standbys) await one.thaw().catch(() => undefined);
      for (const one of [server, ...standbys]) await one.stop('immediate').catch(() => undefined);
      await rm(parent, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
