import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a program of the system to its end, and returns what it printed. Throws with its words if it fails. */
export async function runCommand(program: string, args: readonly string[], timeoutMs = 60_000): Promise<string> {
  const { stdout } = await run(program, args, { cwd: '/', timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}
