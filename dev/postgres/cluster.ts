import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { appendFile, chown, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { checkoutId } from '../project.ts';

const run = promisify(execFile);

/**
 * A PostgreSQL server of this checkout, for one purpose: `dev` keeps its data, `second` is for a second `npm run dev`, `test`
 * is faster but unsafe on power loss, `trial` tests `npm run dev`, `bank` is the bank's beside `npm run cluster`,
 * `conformance`, `e2e` and `bench` are for their commands.
 * If DATABASE_URL is set, that server is used for all of them, and nothing is started or stopped.
 */
export const clusterNames = ['dev', 'second', 'test', 'trial', 'bank', 'conformance', 'e2e', 'docs', 'bench'] as const;
export type ClusterName = (typeof clusterNames)[number];

/** Settings that differ from PostgreSQL's defaults. */
const settingsOf: Readonly<Record<ClusterName, readonly string[]>> = {
  dev: [],
  second: [],
  test: ['fsync = off', 'full_page_writes = off', 'max_wal_size = 2GB'],
  trial: [],
  bank: [],
  conformance: [],
  e2e: [],
  docs: [],
  // As safe as production. What is larger keeps checkpoints out of the slices that are compared.
  bench: ['shared_buffers = 1GB', 'max_wal_size = 4GB', 'checkpoint_timeout = 30min'],
};

/**
 * What a connection costs: tests open thousands, and to prove a SCRAM password takes the server longer than all else that
 * a connection needs. The password itself is random and of this machine.
 */
function authenticationOf(name: ClusterName): string {
  return name === 'test' ? 'md5' : 'password';
}

export interface Cluster {
  /** Connects as a superuser. */
  adminUrl: string;
  startedHere: boolean;
}

const debianFolder = '/usr/lib/postgresql';
const oldestVersion = 15;

/** Its message tells a person what to do. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}

/** The folder of the newest server's programs. */
export async function findPrograms(): Promise<string> {
  const versions = existsSync(debianFolder) ? await readdir(debianFolder) : [];
  const newest = versions
    .map(Number)
    .filter((version) => version >= oldestVersion)
    .toSorted((a, b) => b - a)
    .find((version) => existsSync(`${debianFolder}/${version}/bin/initdb`));
  if (newest !== undefined) return `${debianFolder}/${newest}/bin`;
  throw new ClusterError(
    `PostgreSQL ${oldestVersion} or later is not installed. On Debian: RUNLEVEL=1 apt-get install -y postgresql ` +
      `(RUNLEVEL=1 keeps it from starting a server). Or set DATABASE_URL to your own server, with a superuser.`,
  );
}

const memory = '/dev/shm';
const enoughMemoryBytes = 8 * 2 ** 30;

/** Whether the machine has a file system in memory with room for every test. Its size decides, as what is free changes. */
function hasRoomInMemory(): boolean {
  if (!existsSync(memory)) return false;
  const { blocks, bsize } = statfsSync(memory);
  return blocks * bsize >= enoughMemoryBytes;
}

/**
 * PostgreSQL refuses to run as root, and its own user may not be able to enter this checkout: so the data lies in
 * /var/tmp, in a folder named after the checkout. The tests' lies in memory where it fits: a disk that stands still for
 * seconds is the machine's fault, and a test that allows no error under traffic can't distinguish it from a fault of Kelpie.
 */
function dataFolder(name: ClusterName): string {
  const user = process.getuid?.() ?? 0;
  const parent = name === 'test' && hasRoomInMemory() ? memory : '/var/tmp';
  return `${parent}/kelpie-${user}-${checkoutId}/${name}`;
}

/** PostgreSQL's programs refuse to run as root. */
export async function asPostgres(program: string, args: readonly string[]): Promise<void> {
  const [command, ...rest] =
    process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', program, ...args] : [program, ...args];
  if (command === undefined) throw new Error('no command');
  await run(command, rest, { cwd: '/', timeout: 60_000 });
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('no free port');
  return address.port;
}

/** The port stands on the fourth line of the file that a running server keeps. */
async function findRunningPort(folder: string): Promise<number | undefined> {
  const file = path.join(folder, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const [pid, , , port] = (await readFile(file, 'utf8')).split('\n');
  return isPostgres(Number(pid)) ? Number(port) : undefined;
}

/** The file outlives a crash, and its number may be another program's by now, or a dead one's that nobody has buried. */
function isPostgres(pid: number): boolean {
  try {
    return /^\d+ \(postgres\) [^Z]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Any other user of this machine can reach the port, so there is a password, in a file that only we can read. */
async function readPassword(folder: string): Promise<string> {
  return (await readFile(`${folder}.password`, 'utf8')).trim();
}

/** Made aside and then moved into place: one that was broken off is never taken for a whole one. */
async function initialise(programs: string, folder: string, name: ClusterName): Promise<void> {
  const parent = path.dirname(folder);
  const unfinished = `${folder}.new`;
  await mkdir(parent, { recursive: true });
  await rm(unfinished, { recursive: true, force: true });
  await writeFile(`${folder}.password`, randomBytes(24).toString('hex'), { mode: 0o600 });
  if (process.getuid?.() === 0) {
    const { stdout } = await run('id', ['-u', 'postgres']);
    for (const owned of [parent, `${folder}.password`]) await chown(owned, Number(stdout), -1);
  }
  await asPostgres(`${programs}/initdb`, [
    '-D',
    unfinished,
    '-A',
    authenticationOf(name),
    '--pwfile',
    `${folder}.password`,
    '-U',
    'postgres',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ]);
  const settings = [
    `listen_addresses = '127.0.0.1'`,
    `unix_socket_directories = '${parent}'`,
    'max_connections = 300',
    // Waits and time-outs are the tests' subject; the engine's own jitter is not.
    `log_min_messages = 'fatal'`,
    ...settingsOf[name],
  ];
  await appendFile(path.join(unfinished, 'postgresql.conf'), `\n${settings.join('\n')}\n`);
  await rename(unfinished, folder);
}

async function localUrl(folder: string, port: number): Promise<string> {
  return `postgres://postgres:${await readPassword(folder)}@127.0.0.1:${port}/postgres`;
}

/** Starts the server where it does not run yet; the first time takes a few seconds more. */
export async function startCluster(name: ClusterName): Promise<Cluster> {
  const given = process.env['DATABASE_URL'];
  if (given !== undefined && given !== '') return { adminUrl: given, startedHere: false };
  const folder = dataFolder(name);
  const running = await findRunningPort(folder);
  if (running !== undefined) return { adminUrl: await localUrl(folder, running), startedHere: false };
  const programs = await findPrograms();
  if (!existsSync(path.join(folder, 'PG_VERSION'))) await initialise(programs, folder, name);
  const port = await freePort();
  await asPostgres(`${programs}/pg_ctl`, [
    '-D',
    folder,
    '-l',
    `${folder}.log`,
    '-w',
    '-t',
    '30',
    '-o',
    `-p ${port}`,
    'start',
  ]);
  return { adminUrl: await localUrl(folder, port), startedHere: true };
}

/** Says whether there was a server to stop. One that is stopped at once has nothing that is worth writing down. */
export async function stopCluster(name: ClusterName, how: 'fast' | 'immediate' = 'fast'): Promise<boolean> {
  const folder = dataFolder(name);
  if ((await findRunningPort(folder)) === undefined) return false;
  await asPostgres(`${await findPrograms()}/pg_ctl`, ['-D', folder, '-m', how, '-w', '-t', '30', 'stop']);
  return true;
}

/**
 * Where the heartbeat of a database in it is kept besides. It lives and dies with the data, as a database that is reset is not
 * one that was restored. Null for a server of your own.
 */
export function heartbeatFile(name: ClusterName): string | null {
  return (process.env['DATABASE_URL'] ?? '') === '' ? `${dataFolder(name)}.heartbeat` : null;
}

/** Stops the server and forgets everything in it. */
export async function removeCluster(name: ClusterName): Promise<void> {
  await stopCluster(name, 'immediate');
  const folder = dataFolder(name);
  for (const left of [folder, ...['password', 'log', 'heartbeat'].map((kind) => `${folder}.${kind}`)])
    await rm(left, { recursive: true, force: true });
}
