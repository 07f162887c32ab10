import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { packSdk } from '@kelpie/dev/sdk/pack.ts';
import { apiKey, order, payout } from './examples.ts';
import { startStandInApi, type Answer, type StandInApi } from './stand-in-api.ts';

const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-sdk-'));
after(() => rmSync(folder, { recursive: true, maxRetries: 5 }));
writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'partner', private: true }));
await run('npm', ['install', '--offline', '--no-audit', '--no-fund', await packSdk(folder)], { cwd: folder });

/** What a partner does: pays, waits, lists, is refused, reads a file, and verifies a webhook. */
const exercise = `
import { createKelpie, KelpieError, requestIdOf, verifyWebhook } from '@kelpie/sdk';
import { createEvent, createSecret, signWebhook } from '@kelpie/sdk/testing';

export async function exercise(options, order) {
  const attempts = [];
  const log = ({ path, attempt, status }) => attempts.push([path, attempt, status].join(' '));
  const kelpie = createKelpie({ ...options, log });
  const paid = await kelpie.payouts.createAndWait(order, { idempotencyKey: 'order-42' });
  const ids = [];
  for await (const { id } of kelpie.payouts.listAll()) ids.push(id);
  const refused = await kelpie.payouts.get('none').catch((error) => error instanceof KelpieError && error.code);
  const { name, body } = await kelpie.statements.downloadCsv('2026-11');
  const text = await new Response(body).text();
  const secret = createSecret();
  const event = createEvent('payout.completed');
  const signed = await signWebhook(event, secret);
  const request = new Request('https://example.com/hook', { method: 'POST', ...signed });
  const verified = (await verifyWebhook(request, secret)).id === event.id;
  return { status: paid.status, requestId: requestIdOf(paid), attempts, ids, refused, name, text, verified };
}
`;
const expected = {
  status: 'completed',
  requestId: 'req-1',
  attempts: [
    '/v1/payouts 1 503',
    '/v1/payouts 2 201',
    '/v1/payouts/{id} 1 200',
    '/v1/payouts 1 200',
    '/v1/payouts/{id} 1 404',
    '/v1/statement 1 200',
  ],
  ids: [payout.id],
  refused: 'not_found',
  name: 'a.csv',
  text: 'number,date\r\n',
  verified: true,
};

const main = `console.log(JSON.stringify(await exercise({}, ${JSON.stringify(order)})));`;
writeFileSync(path.join(folder, 'main.mjs'), `${exercise}\n${main}`);
const required = exercise
  .replaceAll(/^import (\{.*\}) from ('.*');$/gm, 'const $1 = require($2);')
  .replace('export async', 'async');
writeFileSync(path.join(folder, 'main.cjs'), `${required}\n(async () => { ${main} })();`);

/** The first order is refused for the moment. */
function partnerApi(): Answer {
  let orders = 0;
  return ({ method, path: asked }) => {
    if (method === 'POST') {
      orders += 1;
      if (orders === 1) return { status: 503, json: { error: { code: 'unavailable', message: 'Not now.' } } };
      return { status: 201, json: payout };
    }
    if (asked === '/v1/payouts') return { json: { object: 'list', data: [payout] } };
    if (asked === `/v1/payouts/${payout.id}`) return { json: { ...payout, status: 'completed' } };
    const headers = { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="a.csv"' };
    if (asked === '/v1/statement') return { text: 'number,date\r\n', headers };
    return { status: 404, json: { error: { code: 'not_found', message: 'Nothing is there.' } } };
  };
}

const api = await startStandInApi();

async function exerciseIn(program: string, ...args: string[]): Promise<void> {
  api.answer(partnerApi());
  const env = { ...process.env, KELPIE_BASE_URL: api.url, KELPIE_API_KEY: apiKey, DENO_DIR: path.join(folder, 'deno') };
  const { stdout } = await run(program, args, { cwd: folder, env, timeout: 120_000 });
  assert.deepEqual(JSON.parse(stdout), expected);
}

/** The Node of the system, which is older than the project's own. */
const systemNode = (process.env['PATH'] ?? '')
  .split(':')
  .filter((each) => !each.includes('node_modules'))
  .map((each) => path.join(each, 'node'))
  .find((file) => existsSync(file));

test('the package works in the Node of the system, as an ES module and as CommonJS', async (t) => {
  const version = systemNode === undefined ? 'none' : (await run(systemNode, ['--version'])).stdout.trim();
  if (systemNode === undefined || !/^v2\d/.test(version)) return t.skip(`Node of the system: ${version}`);
  t.diagnostic(`Node ${version}`);
  await exerciseIn(systemNode, 'main.mjs');
  await exerciseIn(systemNode, 'main.cjs');
  return undefined;
});

/**
 * The program of a package that is not a dependency of the project: only this test runs it. Undefined where it can't be
 * installed. Scripts of packages don't run here either, so it is taken from where they would take it.
 */
async function install(t: TestContext, name: string, version: string): Promise<string | undefined> {
  const into = mkdtempSync(path.join(folder, `${name}-`));
  writeFileSync(path.join(into, 'package.json'), JSON.stringify({ private: true }));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', `${name}@${version}`];
  try {
    await run('npm', args, { cwd: into, timeout: 300_000 });
  } catch {
    t.skip(`${name}@${version} could not be installed`);
    return undefined;
  }
  t.diagnostic(`${name} ${version}`);
  const program = globSync(`node_modules/@{oven,deno}/*/{bin/,}${name}`, { cwd: into }).find(
    (file) => !/musl|baseline/.test(file),
  );
  assert(program !== undefined, `${name} has no program for this machine`);
  return path.join(into, program);
}

test('the package works in Bun, as an ES module and as CommonJS', async (t) => {
  const bun = await install(t, 'bun', '1.4.4');
  if (bun === undefined) return;
  await exerciseIn(bun, 'main.mjs');
  await exerciseIn(bun, 'main.cjs');
});

test('the package works in Deno', async (t) => {
  const deno = await install(t, 'deno', '2.9.6');
  if (deno === undefined) return;
  const allowed = ['--allow-net', '--allow-env', '--allow-read'];
  await exerciseIn(deno, 'run', '--no-prompt', '--node-modules-dir=manual', ...allowed, 'main.mjs');
});

/** The page reports what it found by a request of its own. */
const page = `<!doctype html><title>Kelpie</title>
<script type="importmap">${JSON.stringify({
  imports: { '@kelpie/sdk': '/sdk/index.js', '@kelpie/sdk/testing': '/sdk/testing.js' },
})}</script>
<script type="module">
${exercise}
const options = { baseUrl: location.origin, environment: 'sandbox' };
const report = await exercise(options, ${JSON.stringify(order)}).catch(String);
await fetch('/report', { method: 'PATCH', body: JSON.stringify(report) });
</script>`;

const chromium = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((file) => existsSync(file));

/** Serves the page and the package beside the API. Resolves with what the page reports. */
async function servePage(server: StandInApi): Promise<unknown> {
  const answerApi = partnerApi();
  return new Promise((resolve) => {
    server.answer((asked, response) => {
      if (asked.path === '/') return { text: page, headers: { 'content-type': 'text/html' } };
      if (asked.path === '/report') resolve(asked.body);
      const [, file] = /^\/sdk\/([\w.-]+\.js)$/.exec(asked.path) ?? [];
      if (file === undefined) return answerApi(asked, response);
      const text = readFileSync(path.join(folder, 'node_modules/@kelpie/sdk/dist', file), 'utf8');
      return { text, headers: { 'content-type': 'text/javascript' } };
    });
  });
}

test('the package works in a page of a browser, without a build', async (t) => {
  if (chromium === undefined) return t.skip('no Chromium');
  const server = await startStandInApi();
  const reported = servePage(server);
  const profile = path.join(folder, 'chromium');
  const args = ['--headless=new', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`, `${server.url}/`];
  const browser = spawn(chromium, args, { stdio: 'ignore', detached: true });
  try {
    const timedOut = new Promise((_, reject) => setTimeout(reject, 90_000, new Error('the page said nothing')).unref());
    assert.deepEqual(await Promise.race([reported, timedOut]), expected);
  } finally {
    // Its whole group: a browser is many processes.
    if (browser.pid !== undefined) process.kill(-browser.pid, 'SIGKILL');
  }
  return undefined;
});
