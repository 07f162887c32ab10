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

/** The numbers that the names of a file's tests begin with. */
function citedIn(file: string): string[] {
  const text = readFileSync(path.join(projectFolder, file), 'utf8');
  return Array.from(text.matchAll(/\bfaults (\d+(?:, \d+)*):/gi), ([, numbers = '']) => numbers.split(', ')).flat();
}

const rows = Array.from(page.matchAll(/^\| (\d+) \|.*$/gm), ([row, number = '']) => ({
  number,
  isTested: !row.includes('| none yet'),
  /** Runs it outside the tests. */
  hasCommand: row.includes('`npm run '),
  /** What the harness runs on a cluster. */
  onCluster: Array.from(row.matchAll(/`npm run faults -- --only (\d+)`/g), ([, only]) => only),
  hasReason: /\| none yet: .+ \|$/.test(row),
  files: Array.from(row.matchAll(/`((?:src|test)\/[^` ]+\.ts)`/g), ([, file]) => `service/${file}`),
}));

test('every fault that a test cites is on docs/faults.md', () => {
  const listed = new Set(rows.map(({ number }) => number));
  const cited = testFiles.flatMap((file) => citedIn(file).map((number) => ({ file, number })));
  assert(cited.length > 0, 'no test cites a fault');
  assert.deepEqual(
    cited.filter(({ number }) => !listed.has(number)),
    [],
  );
});

test('every test file that docs/faults.md names exists, and cites the fault it is named for', () => {
  const named = rows.flatMap(({ number, isTested, files }) => files.map((file) => ({ number, isTested, file })));
  assert(named.length > 50, 'the page names hardly any test file');
  assert.deepEqual(
    named.filter(({ file }) => !existsSync(path.join(projectFolder, file))),
    [],
  );
  assert.deepEqual(
    named.filter(({ number, isTested, file }) => isTested && !citedIn(file).includes(number)),
    [],
  );
});

test('every fault has a test or a command, or a reason for having none', () => {
  const shownByNothing = rows.filter((row) => row.files.length === 0 && !row.hasCommand && !row.hasReason);
  assert.deepEqual(shownByNothing, []);
});

test('the faults that docs/faults.md has run on a cluster are those that the harness knows', () => {
  const text = readFileSync(path.join(projectFolder, 'service/test/faults/rows.ts'), 'utf8');
  const known = Array.from(text.matchAll(/\bnumber: (\d+)\b/g), ([, number = '']) => number);
  const listed = rows.filter(({ onCluster }) => onCluster.length > 0);
  assert.deepEqual(
    listed.filter(({ number, onCluster }) => onCluster.some((only) => only !== number)),
    [],
  );
  assert.deepEqual(listed.map(({ number }) => number).toSorted(), known.toSorted());
});
