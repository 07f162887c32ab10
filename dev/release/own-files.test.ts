import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '../project.ts';
import { bankFiles, bankProgram, ownFiles, programs } from './own-files.ts';

/** It prints a page of the docs, and runs from a checkout only. */
const neverReleased = 'service/src/app/print-cli-reference.ts';

test('a release has the files of every source that looks for one beside it', () => {
  const sources = globSync('{service,sandbox-bank}/src/**/*.ts', { cwd: projectFolder });
  const found = sources.filter(
    (file) =>
      !file.endsWith('.test.ts') &&
      file !== neverReleased &&
      readFileSync(path.join(projectFolder, file), 'utf8').includes('import.meta'),
  );
  assert.deepEqual(found.toSorted(), Object.keys({ ...ownFiles, ...bankFiles }).toSorted());
});

test('everything that a release is made of exists', () => {
  const files = [...Object.values(programs), ...Object.values(bankProgram)];
  const beside = Object.values({ ...ownFiles, ...bankFiles })
    .flat()
    // What is built with the release.
    .filter((file) => !['dashboard/dist', 'docs-site/dist'].includes(file));
  assert.deepEqual(
    [...files, ...beside].filter((file) => !existsSync(path.join(projectFolder, file))),
    [],
  );
});
