import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';
import { cut } from '../attack/cut.ts';
import { plantedBugs } from './planted-bugs.ts';

// planted-bugs.soak.test.ts plants them. This one notices at once when the code has moved away from one.

for (const [name, bug] of Object.entries(plantedBugs)) {
  test(`the planted bug ${name} fits the code as it is`, () => {
    const text = readFileSync(path.join(projectFolder, bug.file), 'utf8');
    assert.notEqual(cut(bug, text), text);
  });
}
