import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { programFor } from './built-programs.ts';
import { parseLogLine, type LogLine } from './log-line.ts';
import { projectFolder } from './project.ts';
import { createWatch } from './watch.ts';

interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Child {
  pid: number;
  /** Everything it has said so far, as text: on standard output and standard error. */
  output(): string;
  /** The same, line by line, without a copy. */
  lines(): readonly string[];
  /** What it wrote to its standard output alone. */
  printed(): string;
  /** The first log line with this event, said already or still to come. */
  waitForEvent(event: string, timeoutMs?: number): Promise<LogLine>;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<ChildExit>;
  /** SIGTERM, and SIGKILL for one that does not listen. */
  stop(): Promise<ChildExit>;
}

interface ChildOptions {
  name: string;
  /** From the root of the project. */
  file: string;
  args?: readonly string[];
  env: Readonly<Record<string, string>>;
  onLine?: (line: string) => void;
  /** What it logs goes nowhere: who measures a process must not spend the machine on reading its lines. */
  unheard?: true;
}

/** How a child was started, for who listens. */
export type StartedChild = Pick<ChildOptions, 'name' | 'file' | 'env'>;

type Listener = (child: StartedChild) => (line: string) => void;

const listeners: Listener[] = [];

/** Hears each line of every child that this process starts from now on. */
export function listenToChildren(listener: Listener): void {
  listeners.push(listener);
}

const stopTimeoutMs = 12_000;

/** However we end, also by SIGKILL, the kernel then ends our children: a test run that was broken off leaves nothing. */
export const diesWithItsParent = existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL'] : [];

/** A setting of ours in the shell that it was started from must not decide what a test sees. */
function environmentWith(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(KELPIE|BANK)_/.test(name) && name !== 'NODE_OPTIONS',
  );
  // Compiled code is kept from one start to the next: tests start our programs hundreds of times.
  return { ...Object.fromEntries(inherited), NODE_COMPILE_CACHE: `${projectFolder}/.dev/compile-cache`, ...env };
}

/** Starts one of our programs as a real process of its own. */
export function startChild({ name, file, args = [], env, onLine, unheard }: ChildOptions): Child {
  const [command = '', ...commandArgs] = [...diesWithItsParent, process.execPath, programFor(file), ...args];
  const child = spawn(command, commandArgs, {
    cwd: projectFolder,
    env: environmentWith(env),
    stdio: ['ignore', unheard ? 'ignore' : 'pipe', 'pipe'],
    // Ctrl-C reaches a whole process group; a child in one of its own is stopped by us, in order.
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} could not be started`);
  const lines: string[] = [];
  const printed: string[] = [];
  const events: LogLine[] = [];
  const watch = createWatch();
  const hear = listeners.map((listener) => listener({ name, file, env }));
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (text) => {
      lines.push(text);
      if (stream === child.stdout) printed.push(text);
      onLine?.(text);
      for (const listen of hear) listen(text);
      const line = parseLogLine(text);
      if (line !== undefined) events.push(line);
      watch.changed();
    });
  }
  let ended: ChildExit | undefined;
  const exited = new Promise<ChildExit>((resolve) => {
    child.once('close', (code, signal) => {
      ended = { code, signal };
      watch.changed();
      resolve(ended);
    });
  });
  const output = (): string => lines.join('\n');
  return {
    pid,
    output,
    lines: () => lines,
    printed: () => printed.join('\n'),
    exited,
    kill: (signal) => void child.kill(signal),
    async waitForEvent(event, timeoutMs = 45_000) {
      const otherwise = (): Error => {
        const why = ended === undefined ? `did not say within ${timeoutMs} ms` : 'ended before it said';
        return new Error(`${name} ${why} "${event}". It said:\n${output()}`);
      };
      const found = await watch.find(() => events.find((line) => line.event === event) ?? ended, {
        timeoutMs,
        otherwise,
      });
      if (!('event' in found)) throw otherwise();
      return found;
    },
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      const exit = await exited;
      clearTimeout(timer);
      return exit;
    },
  };
}
