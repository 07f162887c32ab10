import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { callWire, createCustomer, pay } from './customer.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startSandboxBank } from './harness.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { isGenuine, startReceiver } from './receiver.ts';

const bank = await startSandboxBank({ settleAfterMs: 300 });
const slow = await startSandboxBank({ settleAfterMs: 60_000 });
const customer = await createCustomer(bank);
const wholeLife = ['pending', 'payment_submitted', 'payment_processed'];

afterEach(async () => bank.control('/webhooks', { mode: 'normal' }));

test('every change of a transfer is told, in order, and signed so that a flipped byte shows', async () => {
  const receiver = await startReceiver(bank);
  const id = await pay(bank, customer, '10.00');
  await eventually('all three', async () => receiver.statesOf(id).length === 3);
  assert.deepEqual(receiver.statesOf(id), wholeLife);
  const [created, submitted] = receiver.received;
  assert(created !== undefined && submitted !== undefined);
  assert.equal(valueAt(created.event, 'event_type'), 'transfer.created');
  assert.deepEqual(
    ['api_version', 'event_category', 'event_type', 'event_object_id', 'event_object.state'].map((path) =>
      valueAt(submitted.event, path),
    ),
    ['v0', 'transfer', 'transfer.updated.status_transitioned', id, 'payment_submitted'],
  );
  assert.deepEqual(valueAt(submitted.event, 'event_object_changes'), { state: ['pending', 'payment_submitted'] });
  for (const message of receiver.received) assert(isGenuine(message, receiver.publicKey));
  const flipped = { ...created, body: created.body.replace('"10.00"', '"90.00"') };
  assert.notEqual(flipped.body, created.body);
  assert.equal(isGenuine(flipped, receiver.publicKey), false);
  const later = { ...created, signature: created.signature.replace(/^t=\d/, 't=9') };
  assert.equal(isGenuine(later, receiver.publicKey), false);
});

test('what is not taken is sent again until it is, later each time and signed anew', async () => {
  const receiver = await startReceiver(slow);
  receiver.answerWith(503);
  const startedAt = performance.now();
  const id = await pay(slow, await createCustomer(slow), '10.00');
  await eventually('three tries', async () => receiver.statesOf(id).length === 3);
  assert(performance.now() - startedAt > 200 + 400, 'the pauses between the tries');
  receiver.answerWith(204);
  await eventually('the fourth', async () => receiver.statesOf(id).length === 4);
  assert.equal(new Set(receiver.received.map(({ signature }) => signature)).size, 4);
  assert.equal(new Set(receiver.received.map(({ event }) => textAt(event, 'event_id'))).size, 1);
  assert(receiver.received.every((message) => isGenuine(message, receiver.publicKey)));
});

test('deliveries survive that the bank is killed', async () => {
  const receiver = await startReceiver(slow);
  receiver.answerWith(500);
  const id = await pay(slow, await createCustomer(slow), '10.00');
  await eventually('one try', async () => receiver.statesOf(id).length > 0);
  slow.child.kill('SIGKILL');
  await slow.child.exited;
  const before = receiver.received.length;
  receiver.answerWith(200);
  await slow.restart();
  await eventually('sent again', async () => receiver.received.length > before);
});

test('lose drops events, and redeliver brings one of them', async () => {
  const receiver = await startReceiver(bank);
  await bank.control('/webhooks', { mode: 'lose' });
  const lost = await pay(bank, customer, '10.00');
  await eventually('settled', async () => {
    const { json } = await callWire(bank, `/transfers/${lost}`);
    return textAt(json, 'state') === 'payment_processed';
  });
  await bank.control('/webhooks', { mode: 'normal' });
  const notified = await pay(bank, customer, '10.00');
  await eventually('the next one', async () => receiver.statesOf(notified).length === 3);
  assert.deepEqual(receiver.statesOf(lost), []);
  await bank.control('/webhooks/redeliver', { all: true });
  await eventually('all that was lost', async () => receiver.statesOf(lost).length === 3);
  const event = receiver.received.find((message) => textAt(message.event, 'event_object_id') === lost)?.event;
  await bank.control('/webhooks/redeliver', { event_id: textAt(event, 'event_id') });
  await eventually('one of them again', async () => receiver.statesOf(lost).length === 4);
});

test('repeat delivers every event three times', async () => {
  const receiver = await startReceiver(bank);
  await bank.control('/webhooks', { mode: 'repeat' });
  const id = await pay(bank, customer, '10.00');
  await eventually('nine', async () => receiver.statesOf(id).length === 9);
  assert.deepEqual(receiver.statesOf(id).toSorted(), wholeLife.flatMap((state) => [state, state, state]).toSorted());
});

test('shuffle holds events and delivers them in another order, all of them', async () => {
  const receiver = await startReceiver(slow);
  const payer = await createCustomer(slow);
  const made: string[] = [];
  for (let n = 0; n < 8; n += 1) made.push(await pay(slow, payer, '10.00'));
  await slow.control('/webhooks', { mode: 'shuffle' });
  // A return makes three events in one go. All eight staying in order by chance: once in 6⁸ runs.
  for (const id of made) await slow.control(`/transfers/${id}/return`);
  await eventually('all', async () => made.every((id) => receiver.statesOf(id).length === 4));
  await slow.control('/webhooks', { mode: 'normal' });
  const inOrder = ['pending', 'returned', 'refund_in_flight', 'refunded'];
  const came = made.map((id) => receiver.statesOf(id));
  assert(
    came.some((states) => states.join() !== inOrder.join()),
    'nothing was shuffled',
  );
  for (const states of came) assert.deepEqual(states.toSorted(), inOrder.toSorted());
});

test('a webhook that was deleted gets nothing more, and is not listed', async () => {
  const receiver = await startReceiver(slow);
  const { status } = await callWire(slow, `/webhooks/${receiver.webhookId}`, { method: 'DELETE' });
  assert.equal(status, 200);
  const other = await startReceiver(slow);
  const id = await pay(slow, await createCustomer(slow), '10.00');
  await eventually('the other one hears', async () => other.statesOf(id).length === 1);
  assert.deepEqual(receiver.received, []);
  const { json } = await callWire(slow, '/webhooks');
  const listed = new Set(listAt(json, 'data').map((webhook) => textAt(webhook, 'id')));
  assert(listed.has(other.webhookId) && !listed.has(receiver.webhookId));
});
