import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// What an admin does in the sandbox, as an API key does it: live is in confirming.test.ts.

const world = await startWorld({ settleAfterMs: 1_000 });
const { url } = world.api;

async function pay(person: Person, key: string = randomUUID(), body: unknown = payoutBody()): Promise<ApiAnswer> {
  const headers = { 'idempotency-key': key };
  return callAs(person, '/v1/payouts?environment=sandbox', { method: 'POST', body, headers });
}

async function cancel(person: Person, { id }: ApiAnswer): Promise<ApiAnswer> {
  return callAs(person, `/v1/payouts/${id}/cancel?environment=sandbox`, { method: 'POST' });
}

interface Written {
  created_by: string;
  payment: string;
  history: string[];
  activity: string[];
}

/** Who did what to a payout, wherever it is written down. */
async function written({ id }: ApiAnswer): Promise<Written> {
  const { rows } = await asAdmin(world.database.superuserUrl, async (client) =>
    client.query<Written>(
      `select p.created_by, p.bank_payment_id as payment,
         array(select h.by from kelpie.payout_history h where h.payout_id = p.id order by h.number) as history,
         array(select a.action || ' ' || a.status || ' ' || a.by from kelpie.activity a where a.detail = p.id::text order by a.id)
           as activity
       from kelpie.payouts p where p.id = $1`,
      [id],
    ),
  );
  assert(rows[0] !== undefined);
  return rows[0];
}

test('an admin pays from the dashboard in sandbox as a key does, and is named wherever it is written down', async () => {
  const admin = await signIn(world.database, world.partner, { url });
  const made = await pay(admin);
  assert.deepEqual([made.status, valueAt(made.json, 'created_via'), made.payout], [201, 'dashboard', 'processing']);
  const { created_by: createdBy, activity } = await written(made);
  assert.deepEqual([createdBy, activity], [admin.email, [`payout.create 201 ${admin.email}`]]);
  const listed = await callAs(admin, '/v1/payouts?created_via=dashboard');
  assert.equal(valueAt(listed.json, 'data.0.id'), made.id);
  await untilQuiet(world.database);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('a key and a person of one partner share their Idempotency-Keys: neither pays what the other has', async () => {
  const admin = await signIn(world.database, world.partner, { url });
  const client = { url, key: world.partner.key };
  const keys = [randomUUID(), randomUUID()] as const;
  const byPerson = await pay(admin, keys[0]);
  const byKey = await createPayout(client, payoutBody(), keys[1]);
  assert.deepEqual([byPerson.status, byKey.status], [201, 201]);
  const answers = [await createPayout(client, payoutBody(), keys[0]), await pay(admin, keys[1])];
  assert.deepEqual(
    answers.map(({ status, id }) => [status, id]),
    [
      [200, byPerson.id],
      [200, byKey.id],
    ],
  );
  await untilQuiet(world.database);
  await assertAllHolds({ ...world, acknowledged: [byPerson.id, byKey.id] });
});

test('an admin stops a payout where the bank still can, and is named for it', async () => {
  const admin = await signIn(world.database, world.partner, { url });
  const made = await createPayout({ url, key: world.partner.key });
  await world.bank.control(`/transfers/${(await written(made)).payment}/hold`, { state: 'awaiting_funds' });
  const stopped = await cancel(admin, made);
  assert.deepEqual([stopped.status, stopped.payout], [200, 'cancelled'], stopped.text);
  assert.equal((await cancel(admin, made)).status, 200);
  const { history, activity } = await written(made);
  assert.equal(history.at(-1), admin.email);
  assert(activity.includes(`payout.cancel 200 ${admin.email}`), activity.join());
  await untilQuiet(world.database);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('a viewer stops nothing, and that it tried is written down', async () => {
  const viewer = await signIn(world.database, world.partner, { url, role: 'viewer' });
  const made = await createPayout({ url, key: world.partner.key });
  await world.bank.control(`/transfers/${(await written(made)).payment}/hold`, { state: 'awaiting_funds' });
  assert.equal((await cancel(viewer, made)).code, 'api_key_required');
  await eventually('it is written down', async () => {
    const { text } = await callAs(viewer, '/v1/activity');
    return text.includes('"detail":"api_key_required"') && text.includes(viewer.email);
  });
  const admin = await signIn(world.database, world.partner, { url });
  assert.equal((await cancel(admin, made)).payout, 'cancelled');
  await untilQuiet(world.database);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('an admin who is removed while its session is remembered pays nothing: the commit looks again', async () => {
  const admin = await signIn(world.database, world.partner, { url });
  assert.equal((await callAs(admin, '/v1/account')).status, 200);
  await asAdmin(world.database.superuserUrl, async (client) =>
    client.query('delete from kelpie.members where email = $1', [admin.email]),
  );
  assert.equal((await pay(admin)).status, 401);
  await untilQuiet(world.database);
  await assertAllHolds(world);
});
