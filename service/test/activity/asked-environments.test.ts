import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { call, payoutBody } from '../harness/client.ts';
import { confirming } from '../harness/confirming.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { startApi } from '../harness/processes.ts';

const database = await createTestDatabase();
const { url } = await startApi({ database });
const confirmed = confirming(database);

type Entry = [action: string, status: unknown, environment: unknown, detail: unknown];

async function entriesOf(person: Person, count: number): Promise<Entry[]> {
  return eventually('all of it is recorded', async () => {
    const entries = listAt((await callAs(person, '/v1/activity')).json, 'data');
    if (entries.length < count) return false;
    return entries
      .map((entry): Entry => [
        textAt(entry, 'action'),
        valueAt(entry, 'status'),
        valueAt(entry, 'environment'),
        valueAt(entry, 'detail'),
      ])
      .toReversed();
  });
}

test('a refused request for live is recorded as live', async () => {
  const admin = await signIn(database, await createSimulatedPartner(database), { url });
  const headers = { 'idempotency-key': randomUUID() };
  await callAs(admin, '/v1/payouts?environment=live', { method: 'POST', body: payoutBody(), headers });
  await callAs(admin, '/v1/keys', { method: 'POST', body: { environment: 'live' } });
  await callAs(admin, '/v1/balance?environment=live');
  assert.deepEqual(await entriesOf(admin, 3), [
    ['payout.create', 403, 'live', 'verification_required'],
    ['key.create', 403, 'live', 'verification_required'],
    ['balance.get', 403, 'live', 'verification_required'],
  ]);
});

test("a viewer's refused request keeps the environment that it asked for", async () => {
  const viewer = await signIn(database, await createSimulatedPartner(database), { url, role: 'viewer' });
  for (const environment of ['live', 'sandbox'])
    await callAs(viewer, `/v1/payouts/${randomUUID()}/cancel?environment=${environment}`, { method: 'POST' });
  assert.deepEqual(await entriesOf(viewer, 2), [
    ['payout.cancel', 403, 'live', 'api_key_required'],
    ['payout.cancel', 403, 'sandbox', 'api_key_required'],
  ]);
});

test('a request that belongs to no environment, or names none, is recorded without one', async () => {
  const admin = await signIn(database, await createSimulatedPartner(database), { url });
  const email = 'grace@people.test';
  const member = `/v1/members/${email}`;
  await callAs(admin, '/v1/members', { method: 'POST', body: { email, role: 'viewer' } });
  await confirmed.call(admin, member, { method: 'PATCH', body: { role: 'admin' } });
  await confirmed.call(admin, member, { method: 'DELETE' });
  await callAs(admin, member, { method: 'DELETE' });
  await callAs(admin, `/v1/payouts/${randomUUID()}/cancel`, { method: 'POST' });
  await callAs(admin, '/v1/account?environment=nonsense');
  await callAs(admin, '/v1/auth/session', { method: 'PATCH', body: { slug: 'nobody-here' } });
  assert.deepEqual(await entriesOf(admin, 9), [
    ['member.invite', 201, null, email],
    ['member.change', 422, null, 'confirmation_required'],
    ['member.change', 200, null, email],
    ['member.remove', 422, null, 'confirmation_required'],
    ['member.remove', 200, null, email],
    ['member.remove', 404, null, 'not_found'],
    ['payout.cancel', 422, null, 'invalid_request'],
    ['account.get', 422, null, 'invalid_request'],
    ['account.enter', 404, null, 'not_found'],
  ]);
});

test('a key that is created or revoked is recorded in its own environment, a repeated revocation too', async () => {
  const admin = await signIn(database, await createSimulatedPartner(database), { url });
  const { id } = await callAs(admin, '/v1/keys', { method: 'POST', body: { environment: 'sandbox' } });
  await callAs(admin, `/v1/keys/${id}`, { method: 'DELETE' });
  await callAs(admin, `/v1/keys/${id}`, { method: 'DELETE' });
  assert.deepEqual(await entriesOf(admin, 3), [
    ['key.create', 201, 'sandbox', id],
    ['key.revoke', 200, 'sandbox', id],
    ['key.revoke', 200, 'sandbox', id],
  ]);
});

test('a request with a good key that ends in 404 or 405 is recorded, whatever its address', async () => {
  const partner = await createSimulatedPartner(database);
  const admin = await signIn(database, partner, { url });
  const missing = randomUUID();
  assert.equal((await call({ url, key: partner.key }, '/v1/no-such-thing?environment=live')).status, 404);
  assert.equal((await call({ url, key: partner.key }, '/v1/balance', { method: 'PUT', body: {} })).status, 405);
  assert.equal((await call({ url, key: partner.key }, `/v1/payouts/${missing}`)).status, 404);
  assert.equal((await call({ url, key: partner.key }, '/v1/public/partners/no-such-partner')).status, 404);
  assert.deepEqual(await entriesOf(admin, 4), [
    ['request.unknown', 404, 'sandbox', 'not_found'],
    ['request.unknown', 405, 'sandbox', 'method_not_allowed'],
    ['payout.get', 404, 'sandbox', 'not_found'],
    ['public_partner.get', 404, 'sandbox', 'not_found'],
  ]);
});

test('an unknown address answers 404 to a wrong key and to none', async () => {
  for (const key of [null, `kp_sandbox_${'0'.repeat(48)}`])
    assert.equal((await call({ url, key }, '/v1/no-such-thing')).status, 404);
});
