// A host of its own for the trial: this machine's files with an empty layer over them, which takes every write. Packages are
// installed on it for real. There is no systemd here, so the trial itself starts what a unit says, as the unit says it.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { diesWithItsParent } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { readEnvironment, readUnit } from './unit.ts';

interface RunOptions {
  input?: string;
  env?: Readonly<Record<string, string>>;
}

/** Runs a command to its end, and returns what it printed. */
type Run = (command: readonly string[], options?: RunOptions) => Promise<string>;

export interface Host {
  name: string;
  run: Run;
  write(file: string, text: string, mode?: string, owner?: string): Promise<void>;
  /** Starts a service as its unit says, and again whenever it ends, as `Restart=always` says. */
  start(unit: string): Promise<void>;
  /** SIGTERM, and waits for its end. */
  stop(unit: string): Promise<void>;
  /** Runs a unit of `Type=oneshot` to its end. */
  runOnce(unit: string): Promise<void>;
  /** What its services said. */
  log(): string;
  remove(): Promise<void>;
}

/** Folders that all hosts have, below /mnt. */
interface Storage {
  /** `/mnt/kelpie`, as docs/runbooks/new-installation.md asks for it. */
  shared: string;
  packages: string;
}

interface Mounts {
  /** Starts a program where the host's files are. */
  spawnInside: (command: readonly string[], env: Readonly<Record<string, string>>) => ChildProcess;
  end: () => void;
}

const pauseBeforeRestartMs = 1_000;
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Its mounts are in a namespace that one process holds: they go with it, however the trial ends. */
async function holdMounts(folder: string, storage: Storage): Promise<Mounts> {
  const root = path.join(folder, 'root');
  const script = [
    `mount -t tmpfs -o mode=755 host ${folder}`,
    `mkdir ${folder}/layer ${folder}/work ${root}`,
    `mount -t overlay host -o lowerdir=/,upperdir=${folder}/layer,workdir=${folder}/work ${root}`,
    `mount -t proc proc ${root}/proc`,
    `mount --rbind /dev ${root}/dev`,
    `mount -t tmpfs -o mode=1777 tmp ${root}/tmp`,
    `mkdir -p ${root}/mnt/kelpie ${root}/mnt/packages`,
    `mount --bind ${storage.shared} ${root}/mnt/kelpie`,
    `mount --bind ${storage.packages} ${root}/mnt/packages`,
    'echo ready',
    'exec sleep infinity',
  ].join(' && ');
  const hold = [...diesWithItsParent, 'unshare', '--mount', '--propagation', 'private', 'sh', '-c', script];
  const [file = '', ...args] = hold;
  const holder = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  holder.stdout.on('data', (data: Buffer) => (said += data.toString()));
  await eventually('the host has its files', async () => said.includes('ready'));
  return {
    spawnInside(command, env) {
      const inside = ['nsenter', `--mount=/proc/${holder.pid}/ns/mnt`, 'chroot', root, ...command];
      const [program = '', ...given] = [...diesWithItsParent, ...inside];
      return spawn(program, given, { cwd: '/', env: { PATH: searchPath, LC_ALL: 'C.UTF-8', ...env }, detached: true });
    },
    end: () => void holder.kill('SIGKILL'),
  };
}

async function untilEnded(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
}

function createRun(name: string, { spawnInside }: Mounts): Run {
  return async (command, { input, env = {} } = {}) => {
    const child = spawnInside(command, env);
    let printed = '';
    let said = '';
    child.stdout?.on('data', (data: Buffer) => (printed += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
    // One that reads nothing may have ended by now.
    child.stdin?.on('error', () => undefined).end(input ?? '');
    const code = await untilEnded(child);
    if (code !== 0) throw new Error(`${name}: ${command.join(' ')} ended with ${code}:\n${printed}${said}`);
    return printed;
  };
}

/** Not by install: what we write to is a socket, which it can't open. */
const keepInput = 'umask 077 && mkdir -p -m 755 "${1%/*}" && cat > "$1" && chmod "$2" "$1" && chown "$3" "$1"';

function createWrite(run: Run): Host['write'] {
  return async (file, text, mode = '644', owner = 'root') => {
    await run(['sh', '-c', keepInput, 'sh', file, mode, owner], { input: text });
  };
}

interface Prepared {
  command: string[];
  env: Record<string, string>;
}

/** Loads the credentials of a unit as systemd does: copies that only its user can read. */
async function prepareUnit(run: Run, write: Host['write'], unit: string): Promise<Prepared> {
  const read = async (file: string): Promise<string> => run(['cat', file]);
  const credentials = `/run/credentials/${unit}`;
  const { user, command, ...given } = readUnit(await read(`/usr/lib/systemd/system/${unit}`), credentials);
  await run(['install', '-d', '-m', '500', '-o', user, credentials]);
  for (const [name, { file, otherwise }] of given.credentials) {
    const secret = otherwise === null ? await read(file) : await read(file).catch(() => otherwise);
    await write(`${credentials}/${name}`, secret, '400', user);
  }
  const env: Record<string, string> = { ...given.environment };
  for (const file of given.environmentFiles) Object.assign(env, readEnvironment(await read(file)));
  const asUser = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--no-new-privs'];
  return { command: [...asUser, '--inh-caps=-all', '--pdeathsig=KILL', ...command], env };
}

interface Running {
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Starts it again whenever it ends, until it is stopped. */
function keepRunning(launch: () => ChildProcess): Running {
  let isEnding = false;
  let child = launch();
  const keep = async (): Promise<void> => {
    for (;;) {
      await untilEnded(child);
      if (isEnding) return;
      await wait(pauseBeforeRestartMs);
      child = launch();
    }
  };
  const ended = keep();
  return {
    async stop(signal) {
      isEnding = true;
      child.kill(signal);
      await ended;
    },
  };
}

export async function createHost(name: string, folder: string, storage: Storage): Promise<Host> {
  await mkdir(folder, { recursive: true });
  const mounts = await holdMounts(folder, storage);
  const run = createRun(name, mounts);
  const write = createWrite(run);
  const lines: string[] = [];
  const running = new Map<string, Running>();
  return {
    name,
    run,
    write,
    async start(unit) {
      const { command, env } = await prepareUnit(run, write, unit);
      const hear = (data: Buffer): void => void lines.push(`${unit} ${data.toString()}`);
      const launch = (): ChildProcess => {
        const child = mounts.spawnInside(command, env);
        for (const stream of [child.stdout, child.stderr]) stream?.on('data', hear);
        return child;
      };
      running.set(unit, keepRunning(launch));
    },
    async stop(unit) {
      await running.get(unit)?.stop('SIGTERM');
      running.delete(unit);
    },
    async runOnce(unit) {
      const { command, env } = await prepareUnit(run, write, unit);
      lines.push(`${unit} ${await run(command, { env })}`);
    },
    log: () => lines.join(''),
    async remove() {
      await Promise.all([...running.values()].map(async (one) => one.stop('SIGKILL')));
      mounts.end();
    },
  };
}
