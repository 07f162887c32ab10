// The processes of a node are those in its network namespace, by whichever process of ours they were started.
import { spawn } from 'node:child_process';
import { openSync, closeSync, readFileSync } from 'node:fs';
import { eventually } from '../eventually.ts';
import { ClusterError } from '../postgres/cluster.ts';
import { runCommand } from './run-command.ts';

/** Programs of the cluster refuse root, and must not see our settings. */
const environment = {
  PATH: '/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/var/lib/postgresql',
  LC_ALL: 'C.UTF-8',
};
const asPostgresUser = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'];

interface Program {
  command: readonly [string, ...string[]];
  /** Without one, it runs in this machine's network. */
  namespace?: string;
  logFile: string;
}

/** Each program replaces the one that starts it, so the number that comes back is the program's own. */
function commandLine({ command, namespace }: Pick<Program, 'command' | 'namespace'>): string[] {
  const inNamespace = namespace === undefined ? [] : ['nsenter', `--net=/run/netns/${namespace}`];
  return [...inNamespace, ...asPostgresUser, ...command];
}

/** Starts a program that lives on when we end: another command of ours may be the one to stop it. */
export function startProgram(program: Program): number {
  const [file = '', ...args] = commandLine(program);
  const log = openSync(program.logFile, 'a');
  const child = spawn(file, args, { cwd: '/', env: environment, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.unref();
  if (child.pid === undefined) throw new ClusterError(`${program.command[0]} could not be started`);
  return child.pid;
}

/** Runs a program of a node to its end, as its user. */
export async function runInNode(namespace: string, command: readonly [string, ...string[]]): Promise<string> {
  const [file = '', ...args] = commandLine({ command, namespace });
  return runCommand(
    'env',
    ['-i', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`), file, ...args],
    120_000,
  );
}

export interface Running {
  pid: number;
  /** As the kernel has it: etcd, patroni, postgres, … */
  name: string;
}

function nameOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

export async function listProcesses(namespace: string): Promise<Running[]> {
  const pids = (await runCommand('ip', ['netns', 'pids', namespace])).split('\n').filter(Boolean).map(Number);
  return pids.flatMap((pid) => {
    const name = nameOf(pid);
    return name === undefined ? [] : [{ pid, name }];
  });
}

/** One that has ended meanwhile needs no signal. */
export function signalAll(running: readonly Running[], signal: NodeJS.Signals): void {
  for (const { pid } of running) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

/** Until none is left: one that was just starting another when it was killed may have left it behind. */
export async function killUntilGone(list: () => Promise<Running[]>): Promise<void> {
  await eventually('the processes are gone', async () => {
    const left = await list();
    signalAll(left, 'SIGKILL');
    return left.length === 0;
  });
}
