import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { projectFolder } from '../project.ts';
import { billOfRelease, readBillOfMaterials } from './bill-of-materials.ts';
import { judgeLicences, licenceReport } from './judge-licences.ts';
import { listPackages } from './packages.ts';

const bill = readBillOfMaterials();
const packages = listPackages(bill);

test('every package of the lockfile has a licence that is allowed', () => {
  const { byLicence, refused } = judgeLicences(packages);
  assert(packages.length > 300);
  assert((byLicence.get('MIT')?.length ?? 0) > 100);
  assert.deepEqual(refused, []);
});

test('a licence that asks for our own code, an unknown one and none are refused', () => {
  for (const licence of [
    'AGPL-3.0-only',
    'GPL-2.0',
    'MIT AND GPL-3.0-only',
    '(GPL-3.0 OR AGPL-3.0)',
    'SEE LICENSE IN LICENSE',
    null,
  ])
    assert.equal(judgeLicences([{ name: 'planted@1.0.0', licence }]).refused.length, 1, String(licence));
  for (const licence of ['MIT', '(GPL-3.0 OR MIT)', 'MIT AND ISC'])
    assert.deepEqual(judgeLicences([{ name: 'planted@1.0.0', licence }]).refused, [], licence);
});

/** The same bill in another order: pnpm has none of its own. */
function reordered(text: string): string {
  const lists = new Set(['components', 'dependencies', 'dependsOn']);
  const turned: unknown = JSON.parse(text, (name, value: unknown) =>
    lists.has(name) && Array.isArray(value) ? value.toReversed() : value,
  );
  return JSON.stringify(turned);
}

test('the bill of materials of a release has every package, in a fixed order and with the time of its commit', () => {
  const release = { epochSeconds: 1_800_000_000 };
  const text = billOfRelease(bill, release);
  const namesOf = (list: typeof packages): string[] => list.map(({ name }) => name).toSorted();
  assert.deepEqual(namesOf(listPackages(text)), namesOf(packages));
  assert.equal(billOfRelease(reordered(bill), release), text);
  assert.match(text, /"bomFormat": "CycloneDX"/);
  assert.match(text, /"timestamp": "2027-01-15T08:00:00.000Z"/);
});

test('the licence report of a release names every package once', () => {
  const report = licenceReport(judgeLicences(packages).byLicence);
  const named = Array.from(report.matchAll(/^ {2}(.*)$/gm), ([, name = '']) => name);
  assert.deepEqual(named.toSorted(), packages.map(({ name }) => name).toSorted());
});

test('only two packages may run a script of their own when they are installed, and no release younger than a week is taken', () => {
  const text = readFileSync(path.join(projectFolder, 'pnpm-workspace.yaml'), 'utf8');
  const builds = text
    .split('allowBuilds:\n')[1]
    ?.split(/\n(?! )/)[0]
    ?.trimEnd();
  assert.equal(builds, `  '@swc/core': true\n  node: true`);
  assert.match(text, /^minimumReleaseAge: 10080$/m);
  assert.doesNotMatch(text, /dangerouslyAllowAllBuilds|minimumReleaseAgeExclude/);
});
