import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { listAt, textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, createPayout, payoutBody, type ApiAnswer, type Client } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi } from '../harness/processes.ts';

// An api process remembers payouts that it has read. It must never show that.
const database = await createTestDatabase();
const [one, other] = [await startApi({ database }), await startApi({ database })];
const partner = await createSimulatedPartner(database);
const client: Client = { url: one.url, key: partner.key };

/** As another process changes it, or a database that lost a change and made another one in its place. */
async function change(id: string, columns: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) => {
    await admin.query('set session_replication_role = replica');
    await admin.query(`update kelpie.payouts set ${columns} where id = $1`, [id]);
  });
}

async function pay(body = payoutBody()): Promise<string> {
  const { id, status, text } = await createPayout(client, body, randomUUID());
  assert.equal(status, 201, text);
  return id;
}

async function show(id: string, by: Client = client): Promise<ApiAnswer> {
  return call(by, `/v1/payouts/${id}`);
}

async function listed(id: string): Promise<unknown> {
  const { json } = await call(client, '/v1/payouts');
  return listAt(json, 'data').find((each) => textAt(each, 'id') === id);
}

test('a change is in the next answer of every process, however often the payout was read before', async () => {
  const id = await pay();
  for (const { url } of [one, other]) for (let times = 0; times < 2; times += 1) await show(id, { ...client, url });
  await listed(id);
  await change(id, `revision = 2, updated_at = updated_at + interval '1 second', reference = 'Changed once'`);
  for (const { url } of [one, other]) {
    const { json } = await show(id, { ...client, url });
    assert.equal(textAt(json, 'reference'), 'Changed once');
  }
  assert.equal(textAt(await listed(id), 'reference'), 'Changed once');
});

test('a list that is read first shows a change too, among payouts that have none', async () => {
  const [changed, unchanged] = [await pay(), await pay()];
  const before = await listed(unchanged);
  await listed(changed);
  await change(changed, `revision = 2, updated_at = updated_at + interval '1 second', reference = 'Changed'`);
  assert.equal(textAt(await listed(changed), 'reference'), 'Changed');
  assert.deepEqual(await listed(unchanged), before);
});

test('a change that took the place of a lost one, with its number, is shown', async () => {
  const id = await pay();
  const changeTo = async (reference: string, seconds: number): Promise<void> =>
    change(id, `revision = 2, updated_at = '2026-11-19T00:00:0${seconds}Z', reference = '${reference}'`);
  await changeTo('Lost', 1);
  assert.equal(textAt((await show(id)).json, 'reference'), 'Lost');
  assert.equal(textAt(await listed(id), 'reference'), 'Lost');
  await changeTo('Made instead', 2);
  assert.equal(textAt(await listed(id), 'reference'), 'Made instead');
  assert.equal(textAt((await show(id)).json, 'reference'), 'Made instead');
});

test('what a process has read for one partner, it does not show to another', async () => {
  const id = await pay();
  await show(id);
  const stranger = await createSimulatedPartner(database);
  const { status, code } = await show(id, { url: one.url, key: stranger.key });
  assert.deepEqual([status, code], [404, 'not_found']);
  const { json } = await call({ url: one.url, key: stranger.key }, '/v1/payouts');
  assert.deepEqual(listAt(json, 'data'), []);
});

test('a payout is the same bytes when it is created again, retrieved and listed', async () => {
  const reference = 'Zoë "42" \\ </b> 支払い 🐕';
  const key = randomUUID();
  const body = payoutBody({ reference }, { first_name: 'Zoë', last_name: 'O\'Brien \\ "B" 🐕' });
  const created = await createPayout(client, body, key);
  assert.equal(created.status, 201, created.text);
  const replayed = await createPayout(client, body, key);
  assert.equal(replayed.status, 200, replayed.text);
  for (let times = 0; times < 2; times += 1) {
    assert.equal((await show(created.id)).text, replayed.text);
    const { text } = await call(client, '/v1/payouts?limit=1');
    assert.equal(text, `{"object":"list","data":[${replayed.text}]}`);
  }
});
