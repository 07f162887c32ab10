import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { eventTypes } from '../../src/events/event.ts';
import { bankOf, call, createPayout, getPayout, payoutBody, type Client } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
import { addKey, createSimulatedPartner, type TestPartner } from '../harness/partners.ts';
import { startApi, startWorker } from '../harness/processes.ts';
import { readEvents, untilEvents } from './reading.ts';

const clock = createTestClock();
const database = await createTestDatabase();
const env = { KELPIE_TEST_CLOCK_FILE: clock.file };
const { url } = await startApi({ database, env });
await startWorker({ database, env });
await startWorker({ database, env });

async function newClient(): Promise<Client & TestPartner> {
  return { url, ...(await createSimulatedPartner(database)) };
}

test('the database knows the types of events that the reference names', async () => {
  const { rows } = await asAdmin(database.superuserUrl, async (admin) =>
    admin.query<{ type: string }>('select unnest(enum_range(null::kelpie.event_type))::text as type'),
  );
  assert.deepEqual(
    rows.map(({ type }) => type),
    eventTypes,
  );
});

test('each state that a payout enters is one event, with the payout as it was then', async () => {
  const client = await newClient();
  const paid = await createPayout(client);
  const failed = await createPayout(client, payoutBody({}, bankOf('77310000')), randomUUID());
  assert.deepEqual([paid.payout, failed.payout], ['processing', 'failed']);
  const events = await untilEvents(client, 3);
  const seen = events.map((event) => [
    valueAt(event, 'sequence'),
    valueAt(event, 'type'),
    valueAt(event, 'version'),
    valueAt(event, 'data.id'),
    valueAt(event, 'data.status'),
  ]);
  assert.deepEqual(
    seen.toSorted(([, one], [, other]) => String(one).localeCompare(String(other))).map(([, ...rest]) => rest),
    [
      ['payout.completed', 2, paid.id, 'completed'],
      ['payout.failed', 1, failed.id, 'failed'],
      ['payout.processing', 1, paid.id, 'processing'],
    ],
  );
  assert.deepEqual(
    seen.map(([sequence]) => sequence),
    [1, 2, 3],
  );
  const completed = events.find((event) => valueAt(event, 'type') === 'payout.completed');
  assert.deepEqual(valueAt(completed, 'data'), (await getPayout(client, paid.id)).json);
  const processing = events.find((event) => valueAt(event, 'type') === 'payout.processing');
  assert.deepEqual(valueAt(processing, 'data.failure_code'), null);
  assert.equal(valueAt(processing, 'data.updated_at'), valueAt(processing, 'created_at'));
  const one = await call(client, `/v1/events/${textAt(completed, 'id')}`);
  assert.deepEqual([one.status, one.json], [200, completed]);
});

test('a hundred payouts at once have numbers without a gap, and each its versions in order', async () => {
  const client = await newClient();
  const others = await Promise.all([newClient(), newClient()]);
  await Promise.all(
    Array.from({ length: 300 }, async (_, at) => {
      const payer = [client, ...others][at % 3];
      assert(payer !== undefined);
      const { status, text } = await createPayout(payer, payoutBody({ amount_gbp: '1.00' }), randomUUID());
      assert.equal(status, 201, text);
    }),
  );
  const events = await untilEvents(client, 200);
  assert.deepEqual(
    events.map((event) => valueAt(event, 'sequence')),
    Array.from({ length: 200 }, (_, at) => at + 1),
  );
  const seen = new Map<string, number>();
  for (const event of events) {
    const id = textAt(event, 'data.id');
    assert(Number(valueAt(event, 'version')) > (seen.get(id) ?? 0), 'an older version after a newer one');
    seen.set(id, Number(valueAt(event, 'version')));
  }
  assert.equal(seen.size, 100);
  assert.deepEqual(await readEvents(client, { after: 150, limit: 200 }), events.slice(150));
});

test('a partner sees its own events alone, those of its environment, and none by a wrong number', async () => {
  const [client, other] = [await newClient(), await newClient()];
  await createPayout(client);
  const [event] = await untilEvents(client, 2);
  const { key } = await addKey(database, client, { scope: 'read' });
  assert.equal((await call({ url, key }, `/v1/events/${textAt(event, 'id')}`)).status, 200, 'a key that only reads');
  assert.deepEqual(await readEvents(other), []);
  assert.equal((await call(other, `/v1/events/${textAt(event, 'id')}`)).code, 'not_found');
  assert.equal((await call(client, `/v1/events/${randomUUID()}`)).code, 'not_found');
  for (const wrong of ['after=-1', 'after=01', 'after=x', 'after=', 'before=1', 'limit=201'])
    assert.equal((await call(client, `/v1/events?${wrong}`)).code, 'invalid_request', wrong);
});

test('events are shown for 90 days', async () => {
  const client = await newClient();
  await createPayout(client);
  const [event] = await untilEvents(client, 2);
  clock.move(90 * 24 * 3_600_000 + 60_000);
  assert.deepEqual(await readEvents(client), []);
  assert.equal((await call(client, `/v1/events/${textAt(event, 'id')}`)).code, 'not_found');
});
