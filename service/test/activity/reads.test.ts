import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { createPayout } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { callAs, signIn } from '../harness/people.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi } from '../harness/processes.ts';

const database = await createTestDatabase();
const api = await startApi({ database });
const partner = await createSimulatedPartner(database);
const viewer = await signIn(database, partner, { url: api.url, role: 'viewer' });

test('a person who has signed in reads what a key of the same partner reads', async () => {
  const made = await createPayout({ url: api.url, key: partner.key });
  const read = await callAs(viewer, `/v1/payouts/${made.id}`);
  assert.deepEqual([read.status, read.id], [200, made.id]);
  assert.equal(textAt((await callAs(viewer, '/v1/account')).json, 'id'), partner.partnerId);
});

test('what a person only looked at is not in the list of what was asked; what they were refused is', async () => {
  const looker = await signIn(database, partner, { url: api.url, role: 'viewer' });
  for (const path of ['/v1/balance', '/v1/payouts', '/v1/usage', '/v1/members'])
    assert.equal((await callAs(looker, path)).status, 200, path);
  await callAs(looker, '/v1/quotes?environment=sandbox', { method: 'POST', body: { amount_gbp: '5.00' } });
  const refused = await callAs(looker, '/v1/keys', { method: 'POST', body: { environment: 'sandbox' } });
  assert.equal(refused.status, 403);
  const { json } = await callAs(looker, '/v1/activity');
  const own = listAt(json, 'data').filter((entry) => textAt(entry, 'by') === looker.email);
  assert.deepEqual(
    own.map((entry) => [textAt(entry, 'action'), valueAt(entry, 'status')]),
    [['key.create', 403]],
  );
});

test('a session that is revoked is refused within a second', async () => {
  const other = await signIn(database, partner, { url: api.url });
  assert.equal((await callAs(other, '/v1/account')).status, 200);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query('update kelpie.sessions set revoked_at = now() where id = $1', [other.sessionId]),
  );
  await eventually('it is refused', async () => (await callAs(other, '/v1/account')).status === 401, 1_500);
});

test('what a person was shown is kept by no browser, and by nothing on the way to it', async () => {
  const person = await signIn(database, partner, { url: api.url });
  for (const path of ['/v1/account', '/v1/payouts', '/v1/keys', `/v1/payouts/${partner.keyId}`]) {
    const answer = await callAs(person, path);
    assert.equal(answer.headers.get('cache-control'), 'no-store', `${answer.status} ${path}`);
  }
});
