import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';
import { measured } from './measured.ts';
import { fillPage, renderPage } from './page.ts';

const read = (file: string): string => readFileSync(path.join(projectFolder, file), 'utf8');

test('the tables and charts of docs/scaling.md are those of the measured figures', () => {
  const page = renderPage(measured);
  const text = read('docs/scaling.md');
  assert.equal(fillPage(text, page), text, 'run npm run scaling');
  for (const [file, drawing] of Object.entries(page.drawings)) assert.equal(read(file), drawing, file);
});

test('a page without the place of a table is refused', () => {
  assert.throws(() => fillPage('', { blocks: { plans: '' }, drawings: {} }), /no place for plans/);
});
