import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, createPayout, payoutBody, type Client } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { assertBooksHold } from '../harness/invariants.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi, startWorker } from '../harness/processes.ts';
import { register } from './endpoint.ts';
import { accept, hang, refuse, startReceiver, type Receiver } from './receiver.ts';

const database = await createTestDatabase();
const { url } = await startApi({ database });
await startWorker({ database });

async function newClient(): Promise<Client> {
  const { key } = await createSimulatedPartner(database);
  return { url, key };
}

async function pay(client: Client, payouts: number): Promise<string[]> {
  const made = await Promise.all(
    Array.from({ length: payouts }, async () => createPayout(client, payoutBody({ amount_gbp: '1.00' }), randomUUID())),
  );
  for (const { status, text } of made) assert.equal(status, 201, text);
  return made.map(({ id }) => id);
}

/** Every simulated payout is processing and then completed. */
const eventsAPayout = 2;

async function untilReceived(receiver: Receiver, events: number): Promise<void> {
  await eventually(
    `${events} events`,
    async () => new Set(receiver.received.map(({ id }) => id)).size >= events,
    30_000,
  );
}

test('each event arrives signed and names the one before it; of each payout in order', async () => {
  const client = await newClient();
  const receiver = await startReceiver();
  const id = await register(client, receiver);
  const payouts = await pay(client, 20);
  await untilReceived(receiver, 20 * eventsAPayout);
  assert.equal(receiver.forged, 0);
  assert.equal(receiver.received.length, 40, 'nothing is sent twice');
  for (const payout of payouts) {
    const versions = receiver.received.filter(({ body }) => body.data.id === payout).map(({ body }) => body.version);
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => a - b),
    );
  }
  const inOrder = receiver.received.toSorted((a, b) => a.body.sequence - b.body.sequence);
  assert.deepEqual(
    inOrder.map(({ body }) => body.webhook),
    inOrder.map((_, at) => ({ id, previous_sequence: at === 0 ? null : at })),
  );
  const feed = await call(client, '/v1/events?limit=200');
  const bodies = inOrder.map(({ body: { webhook: _webhook, ...event } }) => event);
  assert.deepEqual(listAt(feed.json, 'data'), bodies, 'the feed shows the same events');
});

test('a webhook gets the types that it asked for, and sees no gap', async () => {
  const client = await newClient();
  const receiver = await startReceiver();
  await register(client, receiver, { types: ['payout.completed'] });
  await pay(client, 5);
  await untilReceived(receiver, 5);
  const inOrder = receiver.received.toSorted((a, b) => a.body.sequence - b.body.sequence);
  assert(inOrder.every(({ body }) => body.type === 'payout.completed'));
  assert.deepEqual(
    inOrder.map(({ body }) => body.webhook.previous_sequence),
    [null, ...inOrder.slice(0, -1).map(({ body }) => body.sequence)],
  );
});

test('what is refused comes again, holds up its own payout only, and the log says why', async () => {
  const client = await newClient();
  const receiver = await startReceiver();
  const id = await register(client, receiver);
  const poisoned = new Set<string>();
  receiver.answer = (request, response) => {
    const { data, type } = request.body;
    if (poisoned.size === 0 && type === 'payout.processing') poisoned.add(data.id);
    (poisoned.has(data.id) && request.nth < 2 ? refuse : accept)(request, response);
  };
  await pay(client, 5);
  await untilReceived(receiver, 5 * eventsAPayout);
  const [held = ''] = poisoned;
  const ofHeld = receiver.received.filter(({ body }) => body.data.id === held).map(({ body }) => body.type);
  assert.equal(ofHeld.at(0), 'payout.processing');
  assert.equal(ofHeld.at(1), 'payout.processing', 'the next event of the payout waits');
  const first = receiver.received.find(({ body }) => body.data.id === held);
  await eventually('it is delivered', async () => {
    const { json } = await call(client, `/v1/webhooks/${id}/deliveries/${first?.id}`);
    return textAt(json, 'status') === 'delivered';
  });
  const { json } = await call(client, `/v1/webhooks/${id}/deliveries/${first?.id}`);
  assert.deepEqual(
    listAt(json, 'attempt_log').map((attempt) => [valueAt(attempt, 'number'), valueAt(attempt, 'status_code')]),
    [
      [2, 204],
      [1, 500],
    ],
  );
  assert.equal(textAt(json, 'attempt_log.1.body'), 'not today');
  assert.equal(textAt(json, 'attempt_log.1.headers.x-reason'), 'broken');
});

test('faults 85: an endpoint that hangs delays no other', async () => {
  const client = await newClient();
  const [slow, quick] = [await startReceiver(), await startReceiver()];
  slow.answer = hang;
  await register(client, slow);
  await register(client, quick);
  await pay(client, 50);
  await untilReceived(quick, 50 * eventsAPayout);
  assert(slow.received.length <= 20, `${slow.received.length} under way at the endpoint that hangs`);
});

test('faults 85: an endpoint that failed gets one probe at a time, and all that it missed once it is back', async () => {
  const client = await newClient();
  const receiver = await startReceiver();
  const id = await register(client, receiver);
  receiver.answer = refuse;
  await pay(client, 30);
  await eventually(
    'it counts as failing',
    async () => {
      const { json } = await call(client, `/v1/webhooks/${id}`);
      return valueAt(json, 'failing_since') !== null && receiver.received.length >= 6;
    },
    30_000,
  );
  receiver.answer = accept;
  await untilReceived(receiver, 30 * eventsAPayout);
  await eventually(
    'nothing is pending',
    async () => {
      const { json } = await call(client, `/v1/webhooks/${id}/deliveries?status=pending`);
      return listAt(json, 'data').length === 0;
    },
    60_000,
  );
  const { json } = await call(client, `/v1/webhooks/${id}`);
  assert.equal(valueAt(json, 'failing_since'), null);
});

test('twenty that fail at once are followed by probes after seconds, as after one that failed', async () => {
  const client = await newClient();
  const receiver = await startReceiver();
  await register(client, receiver);
  const held: (() => void)[] = [];
  receiver.answer = (request, response) => void held.push(() => refuse(request, response));
  await pay(client, 20);
  await eventually('twenty are under way', async () => held.length === 20, 30_000);
  receiver.answer = refuse;
  for (const answer of held) answer();
  await eventually('a second probe', async () => receiver.received.length >= 22, 60_000);
});

test('events that came while a webhook was disabled are sent on request, by number', async () => {
  const client = await newClient();
  const receiver = await startReceiver();
  const id = await register(client, receiver);
  await pay(client, 2);
  await untilReceived(receiver, 4);
  assert.equal((await call(client, `/v1/webhooks/${id}`, { method: 'PATCH', body: { enabled: false } })).status, 200);
  await pay(client, 3);
  await eventually('they are numbered', async () => {
    const { json } = await call(client, '/v1/events?after=9');
    return listAt(json, 'data').length === 1;
  });
  assert.equal((await call(client, `/v1/webhooks/${id}`, { method: 'PATCH', body: { enabled: true } })).status, 200);
  const again = await call(client, `/v1/webhooks/${id}/redeliver`, { method: 'POST', body: { after: 2 } });
  assert.equal(again.status, 202, again.text);
  assert.deepEqual(again.json, { object: 'redelivery', count: 8, last_sequence: 10, has_more: false });
  await eventually('all have come', async () => receiver.received.length === 4 + 8, 30_000);
  const sequences = new Set(receiver.received.map(({ body }) => body.sequence));
  assert.deepEqual(
    [...sequences].toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
});

test('one event is sent again on request, with the id that it had', async () => {
  const client = await newClient();
  const receiver = await startReceiver();
  const id = await register(client, receiver);
  await pay(client, 1);
  await untilReceived(receiver, 2);
  const [first] = receiver.received;
  const path = `/v1/webhooks/${id}/deliveries/${first?.id}/redeliver`;
  await eventually('it is delivered', async () => {
    const { json } = await call(client, `/v1/webhooks/${id}/deliveries?status=delivered`);
    return listAt(json, 'data').length === 2;
  });
  assert.equal((await call(client, path, { method: 'POST' })).status, 202);
  await eventually('it comes again', async () => receiver.received.length === 3);
  assert.equal(receiver.received[2]?.id, first?.id);
  assert.equal(receiver.received[2]?.body.sequence, first?.body.sequence);
});

test('an answer that the database refuses is left out of the log, and the event is not sent again', async () => {
  const client = await newClient();
  const receiver = await startReceiver();
  const id = await register(client, receiver, { types: ['payout.processing'] });
  receiver.answer = (_, response) => response.writeHead(200).end('unstorable');
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query(`alter table kelpie.webhook_attempts add constraint planted check (body <> 'unstorable')`),
  );
  await pay(client, 1);
  await untilReceived(receiver, 1);
  const path = `/v1/webhooks/${id}/deliveries/${receiver.received[0]?.id}`;
  await eventually('it is delivered', async () => textAt((await call(client, path)).json, 'status') === 'delivered');
  assert.equal(valueAt((await call(client, path)).json, 'attempt_log.0.body'), null);
  assert.equal(receiver.received.length, 1);
});

test('after a roll two secrets sign, and the old one alone is enough until then', async () => {
  const client = await newClient();
  const receiver = await startReceiver();
  const id = await register(client, receiver);
  const rolled = await call(client, `/v1/webhooks/${id}/roll`, { method: 'POST', body: {} });
  assert.equal(rolled.status, 201, rolled.text);
  await pay(client, 1);
  await untilReceived(receiver, 2);
  assert.deepEqual(
    receiver.received.map(({ signatures }) => signatures),
    [2, 2],
  );
  const ended = await call(client, `/v1/webhooks/${id}/roll`, { method: 'POST', body: { overlap_hours: 0 } });
  receiver.trust(textAt(ended.json, 'secret'));
  await pay(client, 1);
  await untilReceived(receiver, 4);
  assert.equal(receiver.received.at(-1)?.signatures, 1);
});

test('a test event is signed, answered at once, and has no number', async () => {
  const client = await newClient();
  const receiver = await startReceiver();
  const id = await register(client, receiver);
  const tested = await call(client, `/v1/webhooks/${id}/test`, { method: 'POST' });
  assert.equal(tested.status, 200, tested.text);
  assert.equal(valueAt(tested.json, 'is_accepted'), true);
  assert.equal(receiver.received[0]?.body.type, 'webhook.test');
  receiver.answer = refuse;
  const refused = await call(client, `/v1/webhooks/${id}/test`, { method: 'POST' });
  assert.equal(valueAt(refused.json, 'is_accepted'), false);
  assert.equal(valueAt(refused.json, 'status_code'), 500);
});

test('after all of that, every event was handed on once, and of each payout one delivery at most is due', async () => {
  await assertBooksHold(database);
});
