import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';
import { attacks } from './attacks.ts';
import { cut } from './cut.ts';
import { holes } from './holes.ts';

// planted-holes.soak.test.ts opens them. This one notices at once when the code has moved away from a hole.

test('every attack has a hole, and every hole an attack', () => {
  assert.deepEqual(Object.keys(holes).toSorted(), attacks.map(({ name }) => name).toSorted());
});

for (const [name, { also, ...hole }] of Object.entries(holes)) {
  test(`the hole for ${name} fits the code as it is`, () => {
    for (const each of also === undefined ? [hole] : [hole, also]) {
      const text = readFileSync(path.join(projectFolder, each.file), 'utf8');
      assert.notEqual(cut(each, text), text);
    }
  });
}
