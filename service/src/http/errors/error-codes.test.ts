import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';
import { errorCodes } from './error-codes.ts';

/** The rows of the table in docs/partners/errors.md. */
function listedRows(): string[] {
  const page = readFileSync(`${projectFolder}/docs/partners/errors.md`, 'utf8');
  return page.split('\n').filter((line) => /^\| \d{3} \|/.test(line));
}

test('docs/partners/errors.md lists every code that the API can answer with, as the code has it', () => {
  const rows = Object.entries(errorCodes).map(
    ([code, { status, cause, remedy }]) => `| ${status} | \`${code}\` | ${cause} | ${remedy} |`,
  );
  assert.deepEqual(listedRows(), rows);
});

test('the codes stand in the order of their statuses, so that people find them', () => {
  const statuses = Object.values(errorCodes).map(({ status }) => status);
  assert.deepEqual(
    statuses,
    statuses.toSorted((one, other) => one - other),
  );
});
