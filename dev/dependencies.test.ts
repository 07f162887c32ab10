import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from './project.ts';

const manifests = globSync('{.,*,sdk/generate}/package.json', { cwd: projectFolder });

/** Name and version of everything that a package.json asks for, except our own workspaces. */
function dependenciesOf(manifest: string): [name: string, version: string][] {
  const parsed: unknown = JSON.parse(readFileSync(path.join(projectFolder, manifest), 'utf8'));
  assert(typeof parsed === 'object' && parsed !== null);
  return ['dependencies', 'devDependencies']
    .map((kind): unknown => Reflect.get(parsed, kind))
    .flatMap((list) => (typeof list === 'object' && list !== null ? Object.entries(list) : []))
    .map(([name, version]): [string, string] => [name, String(version)])
    .filter(([, version]) => !version.startsWith('workspace:'));
}

test('every dependency is pinned to one exact version', () => {
  const loose = manifests.flatMap(dependenciesOf).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
  assert.deepEqual(loose, []);
});

test('docs/dependencies.md gives the reason for every dependency, and for nothing else', () => {
  const page = readFileSync(path.join(projectFolder, 'docs/dependencies.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const explained = rows.flatMap((row) => (row.split('|')[1] ?? '').match(/(?<=`)[^`, ]+(?=`)/g) ?? []);
  const used = new Set(manifests.flatMap(dependenciesOf).map(([name]) => name));
  assert.deepEqual([...new Set(explained)].toSorted(), [...used].toSorted());
});
