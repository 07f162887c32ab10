import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from './project.ts';
import { listTestFiles, tierOf, tiers } from './test-tiers.ts';

test('every test file belongs to a tier, and every tier has files', () => {
  const found = new Set(listTestFiles().values());
  assert.deepEqual(
    tiers.filter((tier) => !found.has(tier)),
    [],
  );
});

test('a test file that no tier would run is an error', () => {
  for (const file of ['tools/run.test.ts', 'service/src/a.test.tsx', 'service/src/a.spec.ts', 'dev/a.tests.ts'])
    assert.throws(() => tierOf(file, ''), /belongs to no tier/, file);
});

test('a file says its tier by its name, its folder and what it opens', () => {
  assert.equal(tierOf('service/src/money/money.test.ts', `import { test } from 'node:test';`), 'unit');
  assert.equal(tierOf('service/test/payouts/life.test.ts', ''), 'integration');
  assert.equal(tierOf('service/test/payouts/life.soak.test.ts', ''), 'soak');
  for (const from of [
    '../../test/harness/database.ts',
    '@kelpie/sandbox-bank/test/harness.ts',
    '@kelpie/dev/postgres/roles.ts',
    '@kelpie/dev/child-process.ts',
    'node:child_process',
    'pg',
  ])
    assert.equal(tierOf('service/src/a.test.ts', `import { a } from '${from}';`), 'integration', from);
});

/** The files of tests that a file imports, by themselves or by another. */
function supportOf(file: string, seen = new Set<string>()): ReadonlySet<string> {
  const text = readFileSync(path.join(projectFolder, file), 'utf8');
  for (const [, from = ''] of text.matchAll(/^(?:import|export|\}) .*from '([^']+)';$/gm)) {
    const target = from.startsWith('.')
      ? path.join(path.dirname(file), from)
      : from.replace(/^@kelpie\/(dev|sandbox-bank)\//, '$1/');
    if (!/^dev\/.*\.ts$|\/test\/.*\.ts$/.test(target) || seen.has(target)) continue;
    seen.add(target);
    supportOf(target, seen);
  }
  return seen;
}

test('no unit test reaches a database or a process through what it imports', () => {
  const unit = [...listTestFiles()].filter(([, tier]) => tier === 'unit');
  const imports = unit.flatMap(([file]) => [...supportOf(file)].map((support) => `${file} → ${support}`));
  const opening = /→ (dev\/(child-process\.ts|postgres\/)|service\/test\/harness\/(database|processes)\.ts)/;
  assert.deepEqual(
    imports.filter((line) => opening.test(line)),
    [],
  );
});
