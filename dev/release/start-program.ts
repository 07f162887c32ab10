import { spawn } from 'node:child_process';
import { diesWithItsParent } from '../child-process.ts';

export interface StartedProgram {
  pid: number;
  /** What it has said so far. */
  output(): string;
  hasEnded(): boolean;
  exited: Promise<number | null>;
  stop(): Promise<number | null>;
}

interface ProgramOptions {
  env?: Readonly<Record<string, string>>;
}

/** Starts a command with these variables and no others, away from the checkout. */
export function startProgram(command: readonly string[], { env = {} }: ProgramOptions = {}): StartedProgram {
  const [file = '', ...args] = [...diesWithItsParent, ...command];
  const path = '/usr/sbin:/usr/bin:/sbin:/bin';
  const child = spawn(file, args, { cwd: '/', env: { PATH: path, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} could not be started`);
  let output = '';
  let ended = false;
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      ended = true;
      resolve(code);
    });
  });
  return {
    pid,
    output: () => output,
    hasEnded: () => ended,
    exited,
    async stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

/** Runs it to its end, and returns what it printed. */
export async function runProgram(command: readonly string[], options?: ProgramOptions): Promise<string> {
  const program = startProgram(command, options);
  const code = await program.exited;
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${program.output()}`);
  return program.output();
}
