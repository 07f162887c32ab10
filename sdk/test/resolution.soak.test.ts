import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { projectFolder } from '@kelpie/dev/project.ts';
import { packSdk } from '@kelpie/dev/sdk/pack.ts';

const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-sdk-'));
after(() => rmSync(folder, { recursive: true }));

const tarball = await packSdk(folder);
writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'partner', private: true }));
await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });

/** A value and a type of each entry; the error shows that types and code are of the same module system. */
const program = `
import { createKelpie, KelpieError, verifyWebhook, type Kelpie, type Payout } from '@kelpie/sdk';
import { signWebhook, type SignedWebhook } from '@kelpie/sdk/testing';

const kelpie: Kelpie = createKelpie({ baseUrl: 'https://api.example.com', apiKey: 'kp_sandbox_0' });
export const status = async (id: string): Promise<Payout['status']> => (await kelpie.payouts.get(id)).status;
export const isOurs = (error: unknown): boolean => error instanceof KelpieError && error.code === 'not_found';
export const sign: (...given: Parameters<typeof signWebhook>) => Promise<SignedWebhook> = signWebhook;
console.log(typeof createKelpie, typeof verifyWebhook, typeof signWebhook);
`;
const saysAll = 'function function function\n';

const systems = [
  { name: 'node16, CommonJS', file: 'node16.cts', module: 'node16', moduleResolution: 'node16', built: 'node16.cjs' },
  { name: 'node16, ES modules', file: 'node16.mts', module: 'node16', moduleResolution: 'node16', built: 'node16.mjs' },
  { name: 'nodenext, CommonJS', file: 'next.cts', module: 'nodenext', moduleResolution: 'nodenext', built: 'next.cjs' },
  {
    name: 'nodenext, ES modules',
    file: 'next.mts',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    built: 'next.mjs',
  },
  { name: 'a bundler', file: 'bundler.mts', module: 'esnext', moduleResolution: 'bundler', built: 'bundler.mjs' },
];

for (const { name, file, module, moduleResolution, built } of systems) {
  test(`the package compiles and runs under ${name}`, async () => {
    writeFileSync(path.join(folder, file), program);
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.asynciterable'],
      types: [],
      strict: true,
      skipLibCheck: false,
    };
    const config = path.join(folder, `${built}.json`);
    writeFileSync(config, JSON.stringify({ compilerOptions, files: [file] }));
    await run(path.join(projectFolder, 'node_modules/.bin/tsc'), ['-p', config]);
    assert.equal((await run(process.execPath, [path.join(folder, built)])).stdout, saysAll);
  });
}

test('npm run sdk:gates finds nothing wrong with the package', async () => {
  await run(process.execPath, [path.join(projectFolder, 'dev/sdk/gates.ts')]);
});

test('the packed command starts, and prints its version', async () => {
  const { stdout } = await run(path.join(folder, 'node_modules/.bin/kelpie'), ['--version']);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});
