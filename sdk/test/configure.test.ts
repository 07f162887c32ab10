import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';
import { apiKey } from './examples.ts';
import { startStandInApi } from './stand-in-api.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-configure-'));
after(() => rmSync(folder, { recursive: true }));
const credentials = path.join(folder, 'kelpie/credentials');
const api = await startStandInApi();

/** With nothing of ours in its environment. */
async function kelpie(args: readonly string[], input = '') {
  const child = spawn(process.execPath, [path.join(projectFolder, 'sdk/src/cli/main.ts'), ...args], {
    env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: folder },
  });
  child.stdin.end(input);
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [code, printed, said] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { code, output: printed + said };
}

test('a key from standard input is checked, stored for its owner alone, used afterwards, and never printed', async () => {
  api.answer(({ path: asked }) =>
    asked === '/v1/account'
      ? { json: { name: 'Acme', environment: 'sandbox' } }
      : { json: { object: 'balance', usdc: '1.00', approx_gbp: '0.79', gbp_per_usd: 0.79 } },
  );
  const configured = await kelpie(['configure', '--base-url', `${api.url}/v1`], `${apiKey}\n`);
  assert.equal(configured.code, 0, configured.output);
  assert.match(configured.output, /^The sandbox key of Acme works\./);
  assert.equal(statSync(credentials).mode & 0o777, 0o600);
  assert.equal(readFileSync(credentials, 'utf8'), `KELPIE_API_KEY=${apiKey}\nKELPIE_BASE_URL=${api.url}\n`);
  const balance = await kelpie(['balance']);
  assert.match(balance.output, /^balance +1\.00 USDC$/m);
  assert.equal(api.asked.at(-1)?.headers['authorization'], `Bearer ${apiKey}`);
  assert(!configured.output.includes(apiKey) && !balance.output.includes(apiKey));
});

test('a key that does not work is not stored', async () => {
  rmSync(credentials, { force: true });
  api.answer(() => ({ status: 401, json: { error: { code: 'unauthorized', message: 'The API key is not valid.' } } }));
  const { code, output } = await kelpie(['configure', '--base-url', api.url], apiKey);
  assert.deepEqual([code, existsSync(credentials)], [78, false]);
  assert(!output.includes(apiKey));
});
