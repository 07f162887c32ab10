import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';
import manifest from '../package.json' with { type: 'json' };

function isNewer([a = 0, b = 0, c = 0]: number[], [x = 0, y = 0, z = 0]: number[]): boolean {
  return a !== x ? a > x : b !== y ? b > y : c > z;
}

test('the changelog begins with the version of the package, and its versions follow one another', () => {
  const page = readFileSync(path.join(projectFolder, 'sdk/CHANGELOG.md'), 'utf8');
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
  assert.equal(headings[0], manifest.version);
  for (const heading of headings) assert.match(heading, /^\d+\.\d+\.\d+$/);
  const versions = headings.map((heading) => heading.split('.').map(Number));
  for (const [at, version] of versions.slice(1).entries()) assert(isNewer(versions[at] ?? [], version), headings[at]);
});
