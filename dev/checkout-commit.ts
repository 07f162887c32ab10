import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { diesWithItsParent } from './child-process.ts';
import { projectFolder } from './project.ts';

const run = promisify(execFile);
const installTimeoutMs = 300_000;

/** Another commit of this project, in a folder of its own, ready to run. */
export interface CommitCheckout {
  folder: string;
  /** The full hash. */
  commit: string;
  remove(): void;
}

async function findCommit(revision: string): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const { stdout } = await run('git', args, { cwd: projectFolder }).catch(() => {
    throw new Error(`git does not know the revision ${revision}.`);
  });
  return stdout.trim();
}

async function installDependencies(folder: string, signal: AbortSignal): Promise<void> {
  const args = ['install', '--frozen-lockfile', '--prefer-offline'];
  const [command = '', ...rest] = [...diesWithItsParent, 'pnpm', ...args];
  await run(command, rest, { cwd: folder, signal, timeout: installTimeoutMs, maxBuffer: 16 * 1024 * 1024 });
}

/**
 * Checks a revision out beside this checkout and installs its dependencies. It is removed when the process ends, too. On a
 * signal Node does not get that far by itself: a caller that handles signals has to call process.exit.
 */
export async function checkOutCommit(revision: string): Promise<CommitCheckout> {
  const commit = await findCommit(revision);
  const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-checkout-'));
  const installing = new AbortController();
  let isAdded = false;
  let isRemoved = false;
  const remove = (): void => {
    if (isRemoved) return;
    isRemoved = true;
    process.off('exit', remove);
    installing.abort();
    // Retried, because an installation that was just ended may still write.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    if (isAdded) execFileSync('git', ['worktree', 'remove', '--force', folder], { cwd: projectFolder });
  };
  process.on('exit', remove);
  try {
    // In one go, so that a signal finds it either added or not.
    execFileSync('git', ['worktree', 'add', '--quiet', '--detach', folder, commit], { cwd: projectFolder });
    isAdded = true;
    await installDependencies(folder, installing.signal);
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, commit, remove };
}
