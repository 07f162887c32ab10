import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';
import { loadCheckoutModules } from './checkout-modules.ts';

const texts = {
  'dev/postgres/prepare.ts': `export const prepareDatabase = async () => ({ serviceUrl: 'postgres://service' });`,
  'service/bench/bench-partners.ts': `export const createBenchPartners = async () => ({ secrets: ['kp_1', 'kp_2'] });`,
  'service/bench/measured-api.ts': `export const startMeasuredApi = async () => ({ pid: 1, port: 2, stop: async () => {} });`,
};

/** A checkout that has these three modules and nothing else. */
function writeCheckout(t: TestContext, change: Partial<typeof texts> = {}): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-modules-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  for (const [file, text] of Object.entries({ ...texts, ...change })) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

const database = { database: 'bench', anew: true };
const urls = { serviceUrl: 'postgres://service', superuserUrl: 'postgres://superuser' };

test('this checkout has the modules that --against loads from any commit', async () => {
  await assert.doesNotReject(loadCheckoutModules(projectFolder));
});

test('what the functions of a checkout give is passed on', async (t) => {
  const modules = await loadCheckoutModules(writeCheckout(t));
  assert.deepEqual(await modules.prepareDatabase('postgres://admin', database), { serviceUrl: 'postgres://service' });
  assert.deepEqual(await modules.createPartners(urls, 2), ['kp_1', 'kp_2']);
  const { pid, port } = await modules.startApi('postgres://service');
  assert.deepEqual({ pid, port }, { pid: 1, port: 2 });
});

test('a checkout without one of the functions is refused by its name', async (t) => {
  const folder = writeCheckout(t, { 'service/bench/measured-api.ts': 'export const startMeasuredApi = 1;' });
  await assert.rejects(loadCheckoutModules(folder), {
    message: 'service/bench/measured-api.ts of the checkout does not export the function startMeasuredApi',
  });
});

test('a result of another shape is refused', async (t) => {
  const modules = await loadCheckoutModules(
    writeCheckout(t, {
      'dev/postgres/prepare.ts': `export const prepareDatabase = async () => ({ url: 'postgres://service' });`,
      'service/bench/bench-partners.ts': 'export const createBenchPartners = async () => ({ secrets: [1] });',
      'service/bench/measured-api.ts': 'export const startMeasuredApi = async () => ({ pid: 1, port: 2 });',
    }),
  );
  await assert.rejects(modules.prepareDatabase('postgres://admin', database), /prepareDatabase .* another shape/);
  await assert.rejects(modules.createPartners(urls, 2), /createBenchPartners .* another shape/);
  await assert.rejects(modules.startApi('postgres://service'), /startMeasuredApi .* another shape/);
});
