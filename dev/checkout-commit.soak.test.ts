import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { checkOutCommit } from './checkout-commit.ts';
import { projectFolder } from './project.ts';

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: projectFolder, encoding: 'utf8' }).trim();
}

test('a commit is checked out with its dependencies, and nothing is left of it once it is removed', async () => {
  const { folder, commit, ...checkout } = await checkOutCommit('HEAD');
  assert.equal(commit, git('rev-parse', 'HEAD'));
  assert(existsSync(path.join(folder, 'service/package.json')));
  assert(existsSync(path.join(folder, 'service/node_modules/pg')));
  assert(git('worktree', 'list').includes(folder));
  checkout.remove();
  checkout.remove();
  assert(!existsSync(folder));
  assert(!git('worktree', 'list').includes(folder));
});

test('a revision that git does not know is refused', async () => {
  await assert.rejects(checkOutCommit('no-such-revision'), {
    message: 'git does not know the revision no-such-revision.',
  });
});
