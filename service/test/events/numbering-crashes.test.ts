import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, createPayout, payoutBody, type Client } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi, startWorker } from '../harness/processes.ts';
import { assertKilled } from '../payouts/crashing.ts';

const database = await createTestDatabase();
const { url } = await startApi({ database });
const { key } = await createSimulatedPartner(database);
const client: Client = { url, key };
const payoutsAKill = 20;

async function pay(): Promise<void> {
  const body = payoutBody({ amount_gbp: '1.00' });
  const made = await Promise.all(
    Array.from({ length: payoutsAKill }, async () => createPayout(client, body, randomUUID())),
  );
  for (const { status, text } of made) assert.equal(status, 201, text);
}

async function countUnnumbered(): Promise<number> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query('select from kelpie.unnumbered_events');
    return rows.length;
  });
}

async function readAll(): Promise<unknown[]> {
  const events: unknown[] = [];
  for (let page: unknown[] = [null]; page.length > 0; events.push(...page))
    page = listAt((await call(client, `/v1/events?limit=200&after=${events.length}`)).json, 'data');
  return events;
}

/** Two events for each payout that completed, numbered from one on. */
async function assertWhole(payouts: number): Promise<void> {
  let events: unknown[] = [];
  await eventually(
    'every payout has its last event',
    async () => {
      events = await readAll();
      return events.length >= 2 * payouts;
    },
    30_000,
  );
  assert.deepEqual(
    events.map((event) => valueAt(event, 'sequence')),
    Array.from({ length: 2 * payouts }, (_, at) => at + 1),
  );
  const changes = new Set(events.map((event) => `${textAt(event, 'data.id')} ${textAt(event, 'type')}`));
  assert.equal(changes.size, events.length, 'an event has two numbers');
}

test('faults 84: wherever the worker that numbers is killed, the next goes on: no number is skipped, and none is given twice', async () => {
  let payouts = 0;
  for (const point of ['database.number_events.before', 'database.number_events.after']) {
    await pay();
    payouts += payoutsAKill;
    const killed = await startWorker({ database, env: { KELPIE_TEST_FAILPOINT: `${point}*1` } });
    await assertKilled(killed);
    const left = await countUnnumbered();
    assert.equal(left > 0, point.endsWith('.before'), `${left} are left at ${point}`);
    const next = await startWorker({ database });
    await assertWhole(payouts);
    next.kill('SIGTERM');
    await next.exited;
  }
});

test('three workers that are killed at random while payouts are made number each event once', async () => {
  const before = (await readAll()).length / 2;
  const rounds = 4;
  for (let round = 0; round < rounds; round += 1) {
    const workers = await Promise.all([
      startWorker({ database }),
      startWorker({ database }),
      startWorker({ database }),
    ]);
    await pay();
    for (const worker of workers) worker.kill('SIGKILL');
    await Promise.all(workers.map(async ({ exited }) => exited));
  }
  await startWorker({ database });
  await assertWhole(before + rounds * payoutsAKill);
});
