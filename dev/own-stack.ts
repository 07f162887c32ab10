import { spawn, type SpawnOptions } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { startChild, type Child } from './child-process.ts';
import { eventually } from './eventually.ts';
import { removeCluster } from './postgres/cluster.ts';
import { projectFolder } from './project.ts';

const upWithinMs = 120_000;

interface OwnStack {
  /** Where everything is, and what opens it: as `npm run dev` writes it down. */
  found: unknown;
  /** Runs a program to its end, and says how it ended. */
  run: (command: string, args: readonly string[], options?: SpawnOptions) => Promise<number>;
}

/** Until `npm run dev`, started as a child, says that it is up. */
async function waitForStack(stack: Child, brokenOff: AbortSignal): Promise<void> {
  let ended = false;
  void stack.exited.then(() => (ended = true));
  const look = async (): Promise<boolean> => {
    brokenOff.throwIfAborted();
    if (ended) throw new Error(`the stack ended:\n${stack.output()}`);
    return stack.output().includes('Kelpie is up.');
  };
  await eventually('the stack is up', look, upWithinMs);
}

async function runToItsEnd(command: string, args: readonly string[], options: SpawnOptions): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', ...options });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/**
 * Does something on the whole of Kelpie, started for it alone, of which nothing is left afterwards, and ends this process with
 * what came of it. Ctrl-C ends what was started, too: a server that is left behind would be nobody's.
 */
export async function onOwnStack(
  { cluster, firstPort }: { cluster: 'conformance' | 'e2e' | 'docs'; firstPort: number },
  work: (stack: OwnStack) => Promise<number>,
): Promise<void> {
  const brokenOff = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => brokenOff.abort());
  const credentialsFile = path.join(projectFolder, '.dev', `credentials-${cluster}.json`);
  await removeCluster(cluster);
  const args = ['--ports-from', String(firstPort), '--cluster', cluster, '--built'];
  const stack = startChild({ name: 'npm run dev', file: 'dev/up.ts', args, env: {} });
  try {
    await waitForStack(stack, brokenOff.signal);
    process.exitCode = await work({
      found: JSON.parse(await readFile(credentialsFile, 'utf8')),
      run: async (command, given, options) => runToItsEnd(command, given, { signal: brokenOff.signal, ...options }),
    });
  } catch (error) {
    if (!brokenOff.signal.aborted) throw error;
    console.error('Interrupted.');
    process.exitCode = 130;
  } finally {
    await stack.stop();
    await removeCluster(cluster);
  }
}
