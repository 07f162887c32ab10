import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { createTestDatabase } from '../harness/database.ts';
import { metricsAddressOf } from '../harness/metrics.ts';
import { startWorker } from '../harness/processes.ts';

const database = await createTestDatabase();
/** Longer than a loop may fail before its process looks ill. */
const noticedWithinMs = 60_000;

async function get(address: string, page: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(address + page);
  return { status: response.status, body: await response.json() };
}

const well = { status: 200, body: { status: 'alive' } };
const ready = { status: 200, body: { status: 'ready' } };

async function asOwner(sql: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) => admin.query(sql));
}

test('a worker whose sweep fails for ever looks ill, names it, and is well once it succeeds again', async () => {
  const address = await metricsAddressOf(await startWorker({ database }));
  assert.deepEqual(await get(address, '/healthz'), well);
  assert.deepEqual(await get(address, '/readyz'), ready);
  await asOwner('revoke execute on function kelpie.next_due_payouts from kelpie_service, public');
  const isIll = async (): Promise<boolean> => (await get(address, '/healthz')).status === 503;
  await eventually('it looks ill', isIll, noticedWithinMs);
  const ill = { status: 503, body: { status: 'failing', failing: ['sweep'] } };
  assert.deepEqual([await get(address, '/healthz'), await get(address, '/readyz')], [ill, ill]);
  await asOwner('grant execute on function kelpie.next_due_payouts to kelpie_service');
  await eventually('it is well again', async () => (await get(address, '/healthz')).status === 200);
  assert.deepEqual(await get(address, '/readyz'), ready);
});

test('in an outage of the database a worker is not ready, and alive: it keeps answers of banks', async (t) => {
  const { hostname, port, href } = new URL(database.serviceUrl);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  t.after(proxy.close);
  const through = { serviceUrl: href.replace(`:${port}/`, `:${proxy.port}/`) };
  const address = await metricsAddressOf(await startWorker({ database: through }));
  proxy.setFault({ kind: 'black-hole' });
  await eventually('it is not ready', async () => (await get(address, '/readyz')).status === 503);
  assert.deepEqual(await get(address, '/readyz'), {
    status: 503,
    body: { status: 'failing', failing: ['writes'] },
  });
  assert.deepEqual(await get(address, '/healthz'), well);
  proxy.setFault({ kind: 'none' });
  proxy.cut();
  await eventually('ready again', async () => (await get(address, '/readyz')).status === 200);
});
