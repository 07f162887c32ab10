import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startApi } from '../harness/processes.ts';

const database = await createTestDatabase();
const clock = createTestClock();
const api = await startApi({ database, env: { KELPIE_TEST_CLOCK_FILE: clock.file } });

async function getJson(url: string): Promise<{ status: number; json: unknown; headers: Headers }> {
  const response = await fetch(url);
  const json: unknown = await response.json();
  return { status: response.status, json, headers: response.headers };
}

test('the root and the version say what the service is and where it is described', async () => {
  for (const path of ['/', '/v1']) {
    const { status, json } = await getJson(api.url + path);
    assert.equal(status, 200);
    assert.deepEqual(json, {
      name: 'Kelpie Payouts',
      version: '1.3.0',
      release: '0.1.0',
      commit: 'development',
      docs: 'http://api.kelpie.test/docs',
      support_email: 'support@kelpie.example',
    });
  }
});

test('openapi.json in the repository is what the service serves', async () => {
  const served = await (await fetch(`${api.url}/v1/openapi.json`)).text();
  const committed = readFileSync(`${projectFolder}/openapi.json`, 'utf8');
  // Samples call the address that the reference is served from.
  const json: unknown = JSON.parse(served.replaceAll('http://api.kelpie.test', 'http://localhost:4000'));
  assert.deepEqual(json, JSON.parse(committed), 'run `npm run openapi`');
});

test('the reference page may load nothing from elsewhere', async () => {
  const page = await fetch(`${api.url}/docs/reference/`);
  const html = await page.text();
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(policy, /^sandbox allow-scripts [^;]+; default-src 'none'; script-src 'self' 'sha256-/);
  const [inlineScript] = html.match(/(?<=<script type="text\/javascript">)[^]+?(?=<\/script>)/) ?? [''];
  assert(policy.includes(createHash('sha256').update(inlineScript).digest('base64')), 'its own script is not allowed');
  assert.doesNotMatch(policy, /https?:|\*|same-origin/);
  assert.deepEqual(html.match(/(src|href)="https?:[^"]*"/g), null);
});

test('metrics are served on a port of their own, by route, and not where partners are', async () => {
  const metrics = await (await fetch(api.metricsUrl)).text();
  assert.match(
    metrics,
    /http_server_request_duration_seconds_count\{http_request_method="GET",http_route="\/v1",http_response_status_code="200"\} 1/,
  );
  assert.equal((await getJson(`${api.url}/metrics`)).status, 404);
});

test('a request is logged by its route and id, never by its address', async () => {
  const response = await fetch(`${api.url}/v1?secret=hunter2`);
  const requestId = response.headers.get('request-id') ?? 'none';
  const line = await eventually('the line', async () =>
    api
      .output()
      .split('\n')
      .find((text) => text.includes(requestId)),
  );
  assert.match(
    line,
    /"method":"GET","route":"\/v1","status":422,"duration_ms":\d+,"network":"127\.0\.0\.0\/24","event":"request.done"/,
  );
  assert.doesNotMatch(api.output(), /hunter2/);
});

/** The instant inside the id that an answer carries. */
async function instant(): Promise<number> {
  const response = await fetch(`${api.url}/healthz`);
  return Number.parseInt((response.headers.get('request-id') ?? '').replaceAll('-', '').slice(0, 12), 16);
}

test('a test can move the clock of a process that runs', async () => {
  const before = await instant();
  clock.move(24 * 3_600_000);
  const after = await instant();
  clock.move(-24 * 3_600_000);
  assert(after - before >= 24 * 3_600_000 && after - before < 25 * 3_600_000);
});

test('a process whose database is out of reach is alive but not ready, and ready again when it is back', async (t) => {
  const { hostname, port, href } = new URL(database.serviceUrl);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  t.after(proxy.close);
  const through = await startApi({ database: { serviceUrl: href.replace(`:${port}/`, `:${proxy.port}/`) } });
  assert.equal((await getJson(`${through.url}/readyz`)).status, 200);

  proxy.setFault({ kind: 'black-hole' });
  const startedAt = performance.now();
  const { status, json } = await getJson(`${through.url}/readyz`);
  assert.equal(status, 503);
  assert.deepEqual(json, {
    error: {
      code: 'unavailable',
      message: 'This process cannot serve requests now.',
      details: { failing: ['database'] },
    },
  });
  assert(performance.now() - startedAt < 3_000, 'the answer took too long');
  assert.equal((await getJson(`${through.url}/healthz`)).status, 200);

  proxy.setFault({ kind: 'none' });
  proxy.cut();
  await eventually('ready again', async () => (await getJson(`${through.url}/readyz`)).status === 200);
  await through.stop();
});

test('an api that connects as a role past row security is never ready', async () => {
  const superuser = await startApi({ database: { serviceUrl: database.superuserUrl } });
  assert.equal((await getJson(`${superuser.url}/readyz`)).status, 503);
  await eventually('it says why', async () => superuser.output().includes('"event":"readiness.lost"'));
});
