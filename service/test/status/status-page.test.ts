import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { startChild } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { createTestDatabase } from '../harness/database.ts';
import { defaultLimits, startApi } from '../harness/processes.ts';
import { testSecrets } from '../harness/secrets.ts';
import { kelpieAdmin } from '../app/commands/kelpie-admin.ts';

const database = await createTestDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-status-'));
after(() => rmSync(folder, { recursive: true }));
const statusFile = path.join(folder, 'status.json');
const anchorFile = path.join(folder, 'heartbeat');
writeFileSync(anchorFile, '0\n');

const { hostname, port, href } = new URL(database.serviceUrl);
const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
after(proxy.close);
const throughProxy = href.replace(`:${port}/`, `:${proxy.port}/`);
const env = {
  KELPIE_STATUS_FILE: statusFile,
  KELPIE_HEARTBEAT_ANCHOR: anchorFile,
  KELPIE_DASHBOARD_URL: 'http://dashboard.kelpie.test',
};
const api = await startApi({ database: { serviceUrl: throughProxy }, env });

async function getStatus(url = api.url): Promise<unknown> {
  const startedAt = performance.now();
  const response = await fetch(`${url}/status.json`);
  assert.equal(response.status, 200);
  assert(performance.now() - startedAt < 1_500, 'it waited for the database');
  return response.json();
}

async function getPage(url = api.url): Promise<string> {
  const response = await fetch(`${url}/status`);
  assert.equal(response.status, 200);
  return response.text();
}

async function levelOf(component: number, url = api.url): Promise<string> {
  return textAt(await getStatus(url), `components.${component}.status`);
}

const outageMs = 60_000;

test('the page is public, small, without scripts, and cached for seconds', async () => {
  const response = await fetch(`${api.url}/status`);
  const html = await response.text();
  assert.equal(response.headers.get('cache-control'), 'public, max-age=5');
  const policy = response.headers.get('content-security-policy') ?? '';
  assert.match(
    policy,
    /^default-src 'none'; style-src 'sha256-[^ ]+'; img-src 'self'; font-src 'self'; base-uri 'none'/,
  );
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.doesNotMatch(html, /<script| style=| on\w+=/);
  assert(html.length < 40_000, `${html.length} characters`);
  assert.match(html, /<h1>.*All systems operational<\/h1>/);
  assert.match(html, /No incidents in the last 90 days/);
});

test('a minute is recorded, and shown as one of today', async () => {
  await eventually(
    'a recorded minute',
    async () => {
      const days = valueAt(await getStatus(), 'components.0.days');
      return Array.isArray(days) && days.length === 1;
    },
    30_000,
  );
  assert.equal(textAt(await getStatus(), 'components.0.uptime_percent'), '100.00');
});

test('an incident that an operator opens is shown with its updates, until it is resolved and after', async () => {
  const what = ['--title', 'Payouts are late', '--components', 'payouts,bank', '--impact', 'degraded'];
  const opened = await kelpieAdmin(database, ['status', 'open', ...what, '--text', 'The bank is slow.', '--json']);
  assert.equal(opened.code, 0, opened.said);
  await eventually('the incident', async () => (await levelOf(1)) === 'degraded', 30_000);
  assert.equal(await levelOf(0), 'operational');
  const page = await getPage();
  assert.match(page, /<h1>.*Degraded: Payouts, Bank<\/h1>[^]*Open incidents[^]*Payouts are late[^]*The bank is slow\./);
  const updated = await kelpieAdmin(database, ['status', 'update', '--impact', 'outage', '--text', 'Worse.', '--json']);
  assert.equal(updated.code, 0, updated.said);
  await eventually('the update', async () => (await levelOf(1)) === 'outage', 30_000);
  assert.equal(textAt(await getStatus(), 'incidents.0.updates.0.text'), 'Worse.');
  const resolved = await kelpieAdmin(database, ['status', 'resolve', '--text', 'All paid.', '--json']);
  assert.equal(resolved.code, 0, resolved.said);
  await eventually('its end', async () => (await levelOf(1)) === 'operational', 30_000);
  assert.match(await getPage(), /Past incidents[^]*Payouts are late[^]*Resolved after/);
  const again = await kelpieAdmin(database, ['status', 'resolve', '--text', 'All paid.', '--json']);
  assert.deepEqual([again.code, textAt(again.json(), 'error.code')], [2, 'nothing_to_do']);
});

test('whoever asks for it too often is refused, as on other open routes', async () => {
  const limited = await startApi({ database, env: { ...env, ...defaultLimits, KELPIE_OPEN_REQUESTS_PER_MINUTE: '5' } });
  const answers: number[] = [];
  for (let round = 0; round < 60; round += 1) answers.push((await fetch(`${limited.url}/status`)).status);
  assert(answers.includes(200) && answers.filter((status) => status === 429).length > 30, answers.join(' '));
  await limited.stop();
});

for (const fault of ['black-hole', 'cut'] as const) {
  test(`faults 86: while the database is away (${fault}) the page says so by itself, and ends it by itself`, async () => {
    proxy.setFault({ kind: 'black-hole' });
    if (fault === 'cut') proxy.cut();
    await eventually('the outage', async () => (await levelOf(0)) === 'outage', outageMs);
    const status = await getStatus();
    assert.equal(valueAt(status, 'is_current'), false);
    assert.equal(textAt(status, 'components.2.status'), 'operational', 'the bank is not ours');
    const page = await getPage();
    assert.match(page, /Outage: API, Payouts, Webhooks, Dashboard/);
    assert.match(page, /History and incidents on this page are from \d+ \w+ 20\d\d, \d\d:\d\d UTC\./);
    assert.match(page, /Payouts are late/, 'incidents are known still');
    proxy.setFault({ kind: 'none' });
    proxy.cut();
    await eventually('its end', async () => (await levelOf(0)) === 'operational', outageMs);
  });
}

test('faults 86: a process that starts while the database is away shows what the file has, and serves nothing else', async () => {
  const kept: unknown = JSON.parse(readFileSync(statusFile, 'utf8'));
  assert.equal(textAt(kept, 'record.incidents.0.title'), 'Payouts are late');
  proxy.setFault({ kind: 'black-hole' });
  proxy.cut();
  const start = async (file: string): Promise<string> => {
    const ownPort = await findPort();
    const child = startChild({
      name: 'api',
      file: 'service/src/app/api.ts',
      env: {
        KELPIE_MODE: 'development',
        KELPIE_DATABASE_URL: throughProxy,
        KELPIE_PUBLIC_URL: 'http://api.kelpie.test',
        KELPIE_API_PORT: String(ownPort),
        KELPIE_METRICS_PORT: '0',
        ...testSecrets,
        ...env,
        KELPIE_STATUS_FILE: file,
      },
    });
    after(async () => child.stop());
    const url = `http://127.0.0.1:${ownPort}`;
    await eventually(
      'a page',
      async () =>
        fetch(`${url}/healthz`).then(
          (answer) => answer.ok,
          () => false,
        ),
      outageMs,
    );
    return url;
  };
  const knowing = await start(statusFile);
  assert.equal(await levelOf(0, knowing), 'outage');
  assert.match(await getPage(knowing), /Outage: API[^]*on this page are from \d[^]*Payouts are late/);
  for (const other of ['/readyz', '/v1/balance', '/dashboard/', '/docs'])
    assert.equal((await fetch(knowing + other)).status, 503, other);
  writeFileSync(`${statusFile}.other`, '{"record": {"days": "none"}}');
  const ignorant = await start(`${statusFile}.other`);
  assert.match(await getPage(ignorant), /Outage: API[^]*not available at the moment[^]*No data/);
  proxy.setFault({ kind: 'none' });
  proxy.cut();
  await eventually('it serves', async () => (await fetch(`${knowing}/readyz`)).status === 200, outageMs);
  await eventually('it says so', async () => (await levelOf(0, knowing)) === 'operational', outageMs);
});

test('the minutes of an outage are in the history afterwards', async () => {
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query(`update kelpie.status_now set minute = minute - interval '7 minutes'`);
  });
  await eventually(
    'the outage',
    async () => {
      const { rows } = await asAdmin(database.superuserUrl, async (client) =>
        client.query<{ outage: number }>(
          `select sum(outage)::int as outage from kelpie.status_days where component = 'api'`,
        ),
      );
      return (rows[0]?.outage ?? 0) >= 6;
    },
    90_000,
  );
  await eventually(
    'the page',
    async () => textAt(await getStatus(), 'components.0.uptime_percent') !== '100.00',
    30_000,
  );
});
