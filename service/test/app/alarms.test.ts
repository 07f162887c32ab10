import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';

/** What the service logs as an error, and the name of the event in it. */
const alarm = /\.error\([^;]*?'([a-z_]+\.[a-z_]+)'/g;

test('docs/runbooks/README.md names every alarm that the service can raise', () => {
  const files = globSync('service/src/**/*.ts', { cwd: projectFolder }).filter((file) => !file.endsWith('.test.ts'));
  const raised = files.flatMap((file) =>
    Array.from(readFileSync(`${projectFolder}/${file}`, 'utf8').matchAll(alarm), ([, event = '']) => event),
  );
  assert(raised.length > 20, 'hardly any alarm was found');
  const page = readFileSync(`${projectFolder}/docs/runbooks/README.md`, 'utf8');
  assert.deepEqual(
    [...new Set(raised)].filter((event) => !page.includes(`\`${event}\``)),
    [],
  );
});
