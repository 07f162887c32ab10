// Runs the programs of a drill: pgBackRest and PostgreSQL.
import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { OperatorError } from '../operator-error.ts';

const run = promisify(execFile);

export interface Owner {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root, and pgBackRest must own its files. Null: both run as we do. */
export async function findOwner(): Promise<Owner | null> {
  if (process.getuid?.() !== 0) return null;
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    throw new OperatorError('This machine has no user postgres. Run the command as the user that owns the backups.');
  }
}

interface ProgramStart {
  program: string;
  args: readonly string[];
  owner: Owner | null;
  /** Ends the program, also if this process is killed. */
  endsBy: 'SIGTERM' | 'SIGQUIT';
  onLine?: (line: string) => void;
}

export interface EndedProgram {
  code: number | null;
  /** Its standard output. */
  printed: string;
  /** The last lines of its standard error. */
  lines: readonly string[];
}

export interface StartedProgram {
  ended: Promise<EndedProgram>;
  lines: readonly string[];
  stop(): Promise<EndedProgram>;
}

const keptLines = 500;
const killedAfterMs = 10_000;
/** The shell's exit code for a program that does not exist. */
const notFound = 127;

/** Our own settings hold secrets that these programs don't need. */
function passedOn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => /^(PATH|TZ|PGBACKREST_.*)$/.test(name)));
}

export function startProgram({ program, args, owner, endsBy, onLine }: ProgramStart): StartedProgram {
  const user = owner === null ? [] : [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--init-groups'];
  const child = spawn(
    '/usr/bin/setpriv',
    [...user, '--pdeathsig', endsBy.slice('SIG'.length), '--', program, ...args],
    {
      cwd: '/',
      env: passedOn(process.env),
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C reaches a whole process group. We end our programs ourselves, in order.
      detached: true,
    },
  );
  let printed = '';
  const lines: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    if (lines.length > keptLines) lines.shift();
    onLine?.(line);
  });
  const ended = new Promise<EndedProgram>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === notFound) reject(new OperatorError(`${program} is not installed on this machine.`));
      else resolve({ code, printed, lines });
    });
  });
  // Whoever waits for the end sees the error.
  ended.catch(() => undefined);
  return {
    ended,
    lines,
    async stop() {
      child.kill(endsBy);
      const timer = setTimeout(() => child.kill('SIGKILL'), killedAfterMs);
      return ended.finally(() => clearTimeout(timer));
    },
  };
}

/** Returns once the program has ended, also where the signal ends it. */
export async function runProgram(start: ProgramStart, signal: AbortSignal): Promise<EndedProgram> {
  signal.throwIfAborted();
  const program = startProgram(start);
  const stop = (): void => void program.stop().catch(() => undefined);
  signal.addEventListener('abort', stop);
  try {
    const ended = await program.ended;
    signal.throwIfAborted();
    return ended;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
