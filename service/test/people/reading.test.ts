import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
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
  const activity = await callAs(viewer, '/v1/activity');
  assert.equal(valueAt(activity.json, 'data.0.by'), viewer.email);
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
