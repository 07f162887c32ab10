import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What a command printed. `problem` says why it counts as failed. */
export interface Printed {
  output: string;
  problem: string | undefined;
}

/** A terminal in which one block is run after the other: variables, functions and the folder stay. */
export interface ShellSession {
  run(script: string): Promise<Printed>;
  /** Ends what the blocks left running. */
  close(): void;
}

const timeoutMs = 180_000;
const mostOfAnError = 2_000;

/** Everything but what the shell itself sets for good. */
const keepState = `
{ declare -p | grep -vE '^declare -[a-zA-Z]*r'; declare -f; printf 'cd %q\\n' "$PWD"; } > "$DOCS_STATE"
`;

/** Ends a command and all that it started. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** The files of the session itself are beside the folder, which stays as a reader would have it. */
export function openShell(folder: string, env: Readonly<Record<string, string>>): ShellSession {
  const [state = '', stdout = '', stderr = ''] = ['state', 'stdout', 'stderr'].map((name) => `${folder}.${name}`);
  const groups: number[] = [];
  writeFileSync(state, '');
  // Into files: a command that stays in the background would keep a pipe open.
  const start = (script: string) => {
    const [out, err] = [openSync(stdout, 'w'), openSync(stderr, 'w')];
    const child = spawn('bash', ['-c', `set -euo pipefail\n. "$DOCS_STATE"\n${script}\n${keepState}`], {
      cwd: folder,
      env: { ...env, DOCS_STATE: state },
      stdio: ['ignore', out, err],
      detached: true,
    });
    closeSync(out);
    closeSync(err);
    return child;
  };
  return {
    async run(script) {
      const child = start(script);
      const { pid } = child;
      if (pid === undefined) throw new Error('bash could not be started');
      groups.push(pid);
      const timer = setTimeout(() => endGroup(pid), timeoutMs);
      const code = await new Promise((resolve, reject) => {
        child.on('error', reject);
        child.on('exit', (exitCode, signal) => resolve(exitCode ?? signal));
      });
      clearTimeout(timer);
      const [output, errors] = [readFileSync(stdout, 'utf8'), readFileSync(stderr, 'utf8')];
      const said = `${output}\n${errors}`.trim().slice(-mostOfAnError);
      return { output, problem: code === 0 ? undefined : `ended with ${String(code)}:\n${said}` };
    },
    close() {
      for (const pid of groups) endGroup(pid);
    },
  };
}

/** With the programs of this project first: its Node, and not an older one of the system. */
export function pathWithNode(): string {
  return `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
}
