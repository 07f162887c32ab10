import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from './project.ts';

const page = readFileSync(path.join(projectFolder, 'docs/faults.md'), 'utf8');
const testFiles = globSync('{service,sandbox-bank,dev,sdk,dashboard}/**/*.test.ts', {
  cwd: projectFolder,
  exclude: (name) => name.includes('node_modules'),
});

test('every fault that a test cites is on docs/faults.md', () => {
  const listed = new Set(Array.from(page.matchAll(/^\| (\d+) \|/gm), ([, number]) => number));
  const cited = testFiles.flatMap((file) =>
    Array.from(readFileSync(path.join(projectFolder, file), 'utf8').matchAll(/\bfaults (\d+):/gi), ([, number]) => ({
      file,
      number,
    })),
  );
  assert(cited.length > 0, 'no test cites a fault');
  assert.deepEqual(
    cited.filter(({ number }) => !listed.has(number)),
    [],
  );
});

test('every test file that docs/faults.md names exists', () => {
  const named = page.match(/(?<=`)(?:service|dev)\/[^` ]+\.ts(?=`)/g) ?? [];
  assert(named.length > 0, 'the page names no test file');
  assert.deepEqual(
    named.filter((file) => !existsSync(path.join(projectFolder, file))),
    [],
  );
});
