import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, createPayout, payoutBody, type Client } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { waitingMails } from '../harness/mailed-code.ts';
import { addKey, createSimulatedPartner } from '../harness/partners.ts';
import { plantWebhook, unreachable } from '../harness/planted-webhook.ts';
import { startApi, startWorker } from '../harness/processes.ts';
import { signIn } from '../harness/people.ts';
import { register } from './endpoint.ts';
import { refuse, startReceiver } from './receiver.ts';

const database = await createTestDatabase();
const { url } = await startApi({ database });

async function asSuperuser(sql: string, values: readonly unknown[] = []): Promise<unknown[]> {
  return asAdmin(database.superuserUrl, async (admin) => (await admin.query<object>(sql, [...values])).rows);
}

async function newClient(): Promise<Client & { partnerId: string }> {
  const { key, partnerId } = await createSimulatedPartner(database);
  return { url, key, partnerId };
}

/** A key for real money, though no bank stands behind it. */
async function openLive({ partnerId }: { partnerId: string }): Promise<Client> {
  await asSuperuser(
    `insert into kelpie.partner_environments (partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id)
     values ($1, 'live', now(), 'provider_production', 'none', 'none')`,
    [partnerId],
  );
  return { url, key: (await addKey(database, { partnerId, environment: 'live' })).key };
}

test('of thirty at the same moment ten are created, and one that is deleted makes room', async () => {
  const client = await newClient();
  const answers = await Promise.all(
    Array.from({ length: 30 }, async () => call(client, '/v1/webhooks', { method: 'POST', body: unreachable })),
  );
  const created = answers.filter(({ status }) => status === 201);
  assert.equal(created.length, 10);
  assert(answers.every(({ status, code }) => status === 201 || code === 'webhook_limit_reached'));
  const path = `/v1/webhooks/${created[0]?.id}`;
  assert.equal((await call(client, path, { method: 'DELETE' })).status, 200);
  assert.equal((await call(client, path)).status, 404);
  assert.equal((await call(client, '/v1/webhooks', { method: 'POST', body: unreachable })).status, 201);
  assert.equal(listAt((await call(client, '/v1/webhooks')).json, 'data').length, 10);
});

test('the secret is shown once, and stored encrypted', async () => {
  const client = await newClient();
  const created = await call(client, '/v1/webhooks', { method: 'POST', body: unreachable });
  const secret = textAt(created.json, 'secret');
  assert.equal(created.headers.get('cache-control'), 'no-store');
  assert.equal(valueAt((await call(client, `/v1/webhooks/${created.id}`)).json, 'secret'), undefined);
  const [row] = await asSuperuser('select * from kelpie.webhook_endpoints where id = $1', [created.id]);
  assert.doesNotMatch(JSON.stringify(row), new RegExp(secret.slice(6, 20).replaceAll(/[+/]/g, '.')));
  const rolled = await call(client, `/v1/webhooks/${created.id}/roll`, { method: 'POST', body: {} });
  assert.notEqual(textAt(rolled.json, 'secret'), secret);
});

test('faults 52: an address inside a network, and one that is not encrypted in live, is refused with the rule', async () => {
  const client = await newClient();
  const live = await openLive(client);
  for (const [key, refused] of [
    [client.key, 'http://10.0.0.1/kelpie'],
    [client.key, 'http://169.254.169.254/latest/meta-data'],
    [client.key, 'http://[::ffff:10.0.0.1]/'],
    [client.key, 'http://2852039166/'],
    [client.key, 'http://localhost:4000/'],
    [client.key, 'ftp://example.com/'],
    [client.key, 'https://user:secret@example.com/'],
    [live.key, 'http://example.com/kelpie'],
  ] as const) {
    const answer = await call({ url, key }, '/v1/webhooks', { method: 'POST', body: { url: refused } });
    assert.deepEqual([answer.status, answer.code], [422, 'invalid_request'], refused);
    assert.equal(textAt(answer.json, 'error.details.fields.0.path'), 'url');
    assert.doesNotMatch(answer.text, /secret/);
  }
});

test('for a live webhook every admin gets an email, with the host of its address and no more of it', async () => {
  const client = await newClient();
  const { key } = await openLive(client);
  const { email } = await signIn(database, { partnerId: client.partnerId }, { url });
  const body = { url: 'https://receiver.invalid/path-with-a-secret' };
  const { id } = await call({ url, key }, '/v1/webhooks', { method: 'POST', body });
  const moved = { url: 'https://elsewhere.invalid/' };
  assert.equal((await call({ url, key }, `/v1/webhooks/${id}`, { method: 'PATCH', body: moved })).status, 200);
  const [created] = await waitingMails(database, { to: email, kind: 'webhook-created' });
  assert.match(created?.text ?? '', /receiver\.invalid/);
  assert.doesNotMatch(created?.text ?? '', /path-with-a-secret/);
  assert.equal((await waitingMails(database, { to: email, kind: 'webhook-changed' })).length, 1);
});

test('after three days without a success a webhook is disabled, with one email, and can be enabled again', async () => {
  const client = await newClient();
  const { email } = await signIn(database, { partnerId: client.partnerId }, { url });
  const receiver = await startReceiver();
  receiver.answer = refuse;
  const id = await register(client, receiver);
  await asSuperuser(
    `update kelpie.webhook_endpoints set failures = 4, failing_since = now() - interval '3 days' where id = $1`,
    [id],
  );
  await createPayout(client, payoutBody({ amount_gbp: '1.00' }), randomUUID());
  const worker = await startWorker({ database });
  await eventually(
    'it is disabled',
    async () => {
      const { json } = await call(client, `/v1/webhooks/${id}`);
      return valueAt(json, 'disabled_reason') === 'failing';
    },
    30_000,
  );
  assert.equal((await waitingMails(database, { to: email, kind: 'webhook-disabled' })).length, 1);
  const enabled = await call(client, `/v1/webhooks/${id}`, { method: 'PATCH', body: { enabled: true } });
  assert.deepEqual([valueAt(enabled.json, 'status'), valueAt(enabled.json, 'failing_since')], ['enabled', null]);
  await worker.stop();
});

test("a delivery of another partner's webhook, or of another webhook, is not found", async () => {
  const [one, two] = [await newClient(), await newClient()];
  const { id, eventId } = await plantWebhook(database, one);
  const { id: other } = await call(one, '/v1/webhooks', { method: 'POST', body: unreachable });
  for (const [client, path] of [
    [two, `/v1/webhooks/${id}/deliveries`],
    [two, `/v1/webhooks/${id}/deliveries/${eventId}`],
    [one, `/v1/webhooks/${other}/deliveries/${eventId}`],
    [one, `/v1/webhooks/${id}/deliveries/${randomUUID()}`],
  ] as const)
    assert.equal((await call(client, path)).status, 404, path);
  const foreign = `/v1/webhooks/${id}/deliveries/${eventId}/redeliver`;
  assert.equal((await call(two, foreign, { method: 'POST' })).status, 404);
});
