import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, createPayout, getPayout } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi } from '../harness/processes.ts';

const database = await createTestDatabase();
const api = await startApi({ database });
const client = { url: api.url, key: (await createSimulatedPartner(database)).key };

test('an api that has shown a recipient does not show them once they are erased', async () => {
  const { id, text } = await createPayout(client);
  assert(id !== '', text);
  const read = async (): Promise<unknown[]> => [
    valueAt((await getPayout(client, id)).json, 'recipient'),
    valueAt((await call(client, '/v1/payouts')).json, 'data.0.recipient'),
  ];
  const known = { name: 'Ada Canaryname', account_last4: '5678' };
  assert.deepEqual(await read(), [known, known]);
  await asAdmin(database.superuserUrl, async (admin) => {
    // The decision of two operators, which the trigger looks for, has tests of its own.
    await admin.query('set session_replication_role = replica');
    await admin.query('select kelpie.erase_recipients(array[$1]::uuid[], now())', [id]);
  });
  const erased = { name: null, account_last4: null };
  assert.deepEqual(await read(), [erased, erased]);
});
