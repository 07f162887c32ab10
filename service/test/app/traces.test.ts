import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { bankOf, canaries, createPayout, getPayout, payoutBody } from '../harness/client.ts';
import { drawTrace, startTraceReceiver, type ReceivedSpan } from '../harness/trace-receiver.ts';
import { startWorld } from '../harness/world.ts';
import { register } from '../webhooks/endpoint.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const traces = await startTraceReceiver();
const world = await startWorld({ env: { KELPIE_OTLP_URL: traces.url, KELPIE_TRACE_RATIO: '1' } });
const client = { url: world.api.url, key: world.partner.key };

function namesOf(spans: readonly ReceivedSpan[], process: string): Set<string> {
  return new Set(spans.filter((span) => span.process === process).map(({ name }) => name));
}

/** All of them are there. */
function has(names: ReadonlySet<string>, ...wanted: string[]): void {
  assert.deepEqual(
    wanted.filter((name) => !names.has(name)),
    [],
    [...names].join(', '),
  );
}

function isDelivered({ name, attributes }: ReceivedSpan, type: string): boolean {
  return name === 'webhook.deliver' && attributes['kelpie.event.type'] === type;
}

test('one trace has a payout from its request by way of the database and the bank to its webhooks', async (t) => {
  const partner = await startReceiver();
  await register(client, partner);
  // What every process reads once is read by then.
  await createPayout(client, payoutBody({ amount_gbp: '3.00' }, bankOf('12345678')));
  await eventually('the first is over', async () => partner.received.length === 2);
  const made = await createPayout(client);
  assert.equal(made.status, 201, made.text);
  assert.equal(made.headers.get('request-id'), made.id, 'the payout has the id of its request');
  const spans = await eventually('the whole trace', async () => {
    const all = traces.ofTrace(made.id);
    const whole =
      all.some((span) => isDelivered(span, 'payout.completed')) && all.some(({ parentId }) => parentId === '');
    return whole && all;
  });
  t.diagnostic(`\n${drawTrace(spans)}`);
  has(namesOf(spans, 'kelpie-api'), 'POST /v1/payouts', 'create_payouts', 'bank.send_payment', 'apply_transitions');
  has(namesOf(spans, 'kelpie-worker'), 'payout.resume', 'bank.find_payment', 'apply_transitions');
  has(namesOf(spans, 'kelpie-worker'), 'webhook.deliver', 'POST', 'record_attempts');
  const ids = new Set(spans.map(({ id }) => id));
  assert.equal(ids.size, spans.length, 'a span has an id of its own');
  const roots = spans.filter(({ parentId }) => parentId === '');
  assert.deepEqual(
    roots.map(({ name }) => name),
    ['POST /v1/payouts'],
  );
  for (const { name, parentId } of spans) assert(parentId === '' || ids.has(parentId), `${name} hangs on nothing`);
  const [root] = roots;
  assert.equal(root?.attributes['http.response.status_code'], '201');
  assert.equal(spans.find(({ name }) => name === 'bank.send_payment')?.attributes['kelpie.bank.outcome'], 'accepted');
  const posts = spans.filter(({ name }) => name === 'POST');
  for (const { attributes } of posts) assert.equal(attributes['kelpie.webhook.outcome'], 'delivered');
  const secrets = [...Object.values(canaries), 'Canaryname', client.key, new URL(partner.url).port];
  for (const secret of secrets) assert(!traces.texts.join('').includes(secret), `${secret} is in a trace`);
});

test('a repeat is a trace of its own, and ids that callers bring are not read', async () => {
  const key = randomUUID();
  const made = await createPayout(client, payoutBody({ amount_gbp: '2.00' }), key);
  const again = await createPayout(client, payoutBody({ amount_gbp: '2.00' }), key);
  assert.equal(again.id, made.id);
  assert.notEqual(again.headers.get('request-id'), made.id);
  const theirs = 'b'.repeat(32);
  const headers = { authorization: `Bearer ${client.key}`, traceparent: `00-${theirs}-${'c'.repeat(16)}-01` };
  const read = await fetch(`${client.url}/v1/balance`, { headers });
  assert.equal(read.status, 200);
  const own = read.headers.get('request-id') ?? '';
  await eventually('its own trace', async () => traces.ofTrace(own).length > 0);
  assert(!traces.texts.join('').includes(theirs));
});

test('nothing is sent of traces that are not sampled', async () => {
  const silent = await startTraceReceiver();
  const api = await world.addApi({ KELPIE_OTLP_URL: silent.url, KELPIE_TRACE_RATIO: '0' });
  const made = await createPayout({ ...client, url: api.url });
  assert.equal(made.status, 201, made.text);
  await api.stop();
  assert.deepEqual(silent.texts, []);
});

test('a collector that is away costs no payout, and is logged once', async () => {
  const nowhere = `http://127.0.0.1:${await findPort()}/v1/traces`;
  const api = await world.addApi({ KELPIE_OTLP_URL: nowhere, KELPIE_TRACE_RATIO: '1' });
  const own = { ...client, url: api.url };
  const made = await Promise.all(
    Array.from({ length: 30 }, async () => createPayout(own, payoutBody({ amount_gbp: '1.50' }), randomUUID())),
  );
  for (const { status, text } of made) assert.equal(status, 201, text);
  await api.waitForEvent('traces.not_sent');
  assert.equal((await getPayout(own, made[0]?.id ?? '')).status, 200);
  const { code } = await api.stop();
  assert.equal(code, 0);
  assert.equal(api.lines().filter((line) => line.includes('traces.not_sent')).length, 1);
});
