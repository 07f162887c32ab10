import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { createPayout, payoutBody } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

const database = await createTestDatabase();
const { hostname, port, href } = new URL(database.serviceUrl);
const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
after(async () => proxy.close());
const world = await startWorld({
  database,
  env: { KELPIE_DATABASE_URL: href.replace(`:${port}/`, `:${proxy.port}/`) },
});
const client = { url: world.api.url, key: world.partner.key };

/** Longer than a lease: without a record of the bank's answer, every one of them would be sent again. */
const outageMs = 12_000;
const inFlight = 30;

async function transfersAtBank(): Promise<number> {
  return (await world.bank.record()).payments.length;
}

async function attemptsOf(): Promise<number[]> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ attempts: number }>('select distinct attempts from kelpie.payouts order by 1');
    return rows.map(({ attempts }) => attempts);
  });
}

test('faults 7: what the bank answered while the database was away is recorded, and nothing is sent again', async () => {
  const first = await createPayout(client);
  assert.equal(first.status, 201, first.text);
  await world.bank.control('/faults', { on: 'transfer.create', kind: 'delay_reply', delay_ms: 1_500, times: inFlight });
  const keys = Array.from({ length: inFlight }, () => randomUUID());
  const before = await transfersAtBank();
  const answers = Promise.all(keys.map(async (key) => createPayout(client, payoutBody(), key)));
  // The bank has every order, and its answers are on their way.
  await eventually('the bank has them', async () => (await transfersAtBank()) === before + inFlight);
  proxy.setFault({ kind: 'black-hole' });
  const startedAt = performance.now();
  const statuses = (await answers).map(({ status }) => status);
  assert.deepEqual(
    statuses.filter((status) => ![201, 503].includes(status)),
    [],
  );
  await eventually('the outage is over', async () => performance.now() - startedAt > outageMs);
  proxy.setFault({ kind: 'none' });
  proxy.cut();
  const ids = await Promise.all(
    keys.map(async (key) =>
      eventually('it is there', async () => {
        const { status, id } = await createPayout(client, payoutBody(), key);
        return status < 300 && id;
      }),
    ),
  );
  await untilQuiet(database, { timeoutMs: 60_000 });
  assert.deepEqual(await attemptsOf(), [1]);
  await assertAllHolds({ ...world, acknowledged: [first.id, ...ids] });
});
