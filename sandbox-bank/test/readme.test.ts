import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { listPages, samplesOf } from '@kelpie/dev/docs/pages.ts';
import { projectFolder } from '@kelpie/dev/project.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-bank-'));
after(() => rmSync(folder, { recursive: true }));

test('the sample of the README runs', async () => {
  const samples = listPages()
    .filter(({ file }) => file === 'sandbox-bank/README.md')
    .flatMap(samplesOf)
    .filter(({ language }) => language === 'ts');
  assert.equal(samples.length, 1);
  const file = path.join(folder, 'sample.ts');
  writeFileSync(file, samples[0]?.code.replaceAll('../..', projectFolder) ?? '');
  await import(file);
});
