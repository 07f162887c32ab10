// npm run docs:test [-- PAGE…]: runs every code block of every page for partners, on a Kelpie that was started for it alone.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onOwnStack } from '../own-stack.ts';
import { packSdk } from '../sdk/pack.ts';
import { startRegistry, type Registry } from '../sdk/registry.ts';
import { isPartnerPage } from './blocks.ts';
import { listPages, type Page } from './pages.ts';
import { runPage, type BlockResult } from './run-page.ts';
import { openShell, pathWithNode } from './shell-session.ts';
import { addressesIn, signUpForKey, untilAtBank, type Addresses } from './sign-up.ts';

// Below the ports that the system gives to outgoing connections, and not those of anything else that we start.
const firstPort = 26_300;

interface Setting {
  addresses: Addresses;
  registry: Registry;
  /** All folders are in it. */
  work: string;
  /** A folder in which the SDK is installed. */
  installed: string;
}

function envOf({ registry, work }: Setting, more: Record<string, string>): Record<string, string> {
  return {
    PATH: pathWithNode(),
    HOME: work,
    LANG: 'C.UTF-8',
    npm_config_cache: `${work}/cache`,
    ...registry.env,
    ...more,
  };
}

async function installSdk(setting: Setting): Promise<void> {
  mkdirSync(setting.installed);
  const shell = openShell(setting.installed, envOf(setting, {}));
  const { problem } = await shell.run('npm init -y && npm pkg set type=module && npm install @kelpie/sdk');
  if (problem !== undefined) throw new Error(`the packed SDK can't be installed: ${problem}`);
}

async function testPage(setting: Setting, page: Page): Promise<BlockResult[]> {
  const { addresses, work, installed } = setting;
  const key = await signUpForKey(addresses);
  await untilAtBank(addresses, key);
  const folder = path.join(work, path.basename(page.file, '.md'));
  // A page that installs the package itself begins in an empty folder.
  if (!page.text.includes('npm install @kelpie/sdk')) cpSync(installed, folder, { recursive: true });
  const env = envOf(setting, { KELPIE_API_KEY: key, KELPIE_BASE_URL: addresses.url });
  const fill = (code: string): string =>
    code.replaceAll('https://api.kelpie.example', addresses.url).replaceAll('kp_sandbox_…', key);
  return runPage({ page, folder, env, fill });
}

function report(results: readonly BlockResult[]): number {
  for (const { name, problem } of results)
    console.log(problem === undefined ? `ok    ${name}` : `FAILED ${name}\n${problem}`);
  return results.filter(({ problem }) => problem !== undefined).length;
}

async function testAll(setting: Setting, pages: readonly Page[]): Promise<number> {
  await installSdk(setting);
  let [passed, failed] = [0, 0];
  for (const page of pages) {
    const results = await testPage(setting, page);
    const wrong = report(results);
    failed += wrong;
    passed += results.length - wrong;
  }
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

const wanted = process.argv.slice(2);
const pages = listPages()
  .filter(isPartnerPage)
  .filter(({ file }) => wanted.length === 0 || wanted.some((name) => file.endsWith(name)));
const work = mkdtempSync(path.join(tmpdir(), 'kelpie-docs-'));
try {
  const registry = await startRegistry(await packSdk(work));
  await onOwnStack({ cluster: 'docs', firstPort }, async ({ found }) =>
    testAll({ addresses: addressesIn(found), registry, work, installed: path.join(work, 'installed') }, pages),
  );
  await registry.close();
} finally {
  rmSync(work, { recursive: true, force: true });
}
