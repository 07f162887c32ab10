import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { valueAt } from '@kelpie/dev/json.ts';
import { createPayout, payoutBody } from '../../harness/client.ts';
import { addKey } from '../../harness/partners.ts';
import { callAs, signIn } from '../../harness/people.ts';
import { tamper } from '../../harness/seal-planted-rows.ts';
import { testSecrets } from '../../harness/secrets.ts';
import { startWorld } from '../../harness/world.ts';
import { kelpieAdmin } from '../commands/kelpie-admin.ts';

// The row key is changed: who could pay before can pay after, and a row that was changed past us is not signed on the way.

const [oldKey, newKey] = [`1:${testSecrets.KELPIE_ROW_KEY}`, `2:${'f7'.repeat(32)}`];
const both = { KELPIE_ROW_KEY: `${newKey},${oldKey}` };
const world = await startWorld({ withoutWorker: true });

async function payBy(key: string): Promise<number> {
  return (await createPayout({ url: world.api.url, key }, payoutBody(), randomUUID())).status;
}

test('faults 92: keys and members outlive a change of the row key, and a tampered row is not signed with the new one', async () => {
  const { partner, database } = world;
  const admin = await signIn(database, partner, { url: world.api.url });
  const tampered = await addKey(database, partner, { scope: 'read' });
  await tamper(database.superuserUrl, `update kelpie.api_keys set scope = 'pay' where id = $1`, [tampered.keyId]);
  await world.restartApi(both);
  assert.equal(await payBy(partner.key), 201);
  const rotate = ['encryption-keys', 'rotate', '--reason', 'a planned change', '--json'];
  const done = await kelpieAdmin(database, rotate, both);
  assert.equal(done.code, 1, done.said);
  assert.deepEqual(valueAt(done.data(), 'rows'), { signed: 2, refused: 1 });
  await world.restartApi({ KELPIE_ROW_KEY: newKey });
  assert.equal(await payBy(partner.key), 201);
  assert.equal(await payBy(tampered.key), 401);
  // Of a session of the key before: people sign in again.
  assert.equal((await callAs({ ...admin, url: world.api.url }, '/v1/members')).status, 401);
});
