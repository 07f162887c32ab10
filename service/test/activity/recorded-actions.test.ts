import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { createPayout, payoutBody } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { startApi } from '../harness/processes.ts';

const database = await createTestDatabase();
const { url } = await startApi({ database });

async function recordedOf(person: Person, count: number): Promise<unknown[]> {
  return eventually('all of it is written down', async () => {
    const entries = listAt((await callAs(person, '/v1/activity')).json, 'data');
    return entries.length >= count && entries.map((entry) => [textAt(entry, 'action'), valueAt(entry, 'status')]);
  });
}

test('a file that a person takes is noted; what they only look at is not', async () => {
  const person = await signIn(database, await createSimulatedPartner(database), { url, role: 'viewer' });
  const month = new Date().toISOString().slice(0, 7);
  const address = `${url}/v1/statement?month=${month}&environment=sandbox`;
  const headers = { cookie: person.cookie, 'sec-fetch-site': 'same-origin' };
  assert.equal((await fetch(address, { headers })).status, 200);
  const file = await fetch(`${address}&format=csv`, { headers });
  assert.match(await file.text(), /^number,/);
  assert.deepEqual(await recordedOf(person, 1), [['statement.get', 200]]);
});

test('an export of payouts is recorded, whoever takes it', async () => {
  const partner = await createSimulatedPartner(database);
  await createPayout({ url, key: partner.key }, payoutBody({ reference: '=1+1' }));
  const person = await signIn(database, partner, { url, role: 'viewer' });
  const headers = { cookie: person.cookie, 'sec-fetch-site': 'same-origin' };
  const file = await fetch(`${url}/v1/payouts.csv?environment=sandbox&created_via=api`, { headers });
  assert.match(
    file.headers.get('content-disposition') ?? '',
    /^attachment; filename="kelpie-payouts-sandbox-[\d-]{10}\.csv"$/,
  );
  const lines = (await file.text()).split('\r\n');
  assert.deepEqual([lines.length, lines[0]?.startsWith('id,created_at,status,'), lines[2]], [3, true, '']);
  assert.match(lines[1] ?? '', /,"'=1\+1",/, 'a formula is text in a spreadsheet');
  const none = await fetch(`${url}/v1/payouts.csv?environment=sandbox&created_via=dashboard`, { headers });
  assert.equal((await none.text()).split('\r\n').length, 2);
  assert.deepEqual(await recordedOf(person, 3), [
    ['payout.export', 200],
    ['payout.export', 200],
    ['payout.create', 201],
  ]);
});

test('going to an account that is none of theirs is noted as that: nobody signed out', async () => {
  const person = await signIn(database, await createSimulatedPartner(database), { url });
  const refused = await callAs(person, '/v1/auth/session', { method: 'PATCH', body: { slug: 'nobody-here' } });
  assert.equal(refused.status, 404);
  assert.deepEqual(await recordedOf(person, 1), [['account.enter', 404]]);
});

test('nobody goes from account to account more than 60 times an hour, in whichever session', async () => {
  const person = await signIn(database, await createSimulatedPartner(database), { url });
  const statuses: number[] = [];
  for (let tries = 0; tries < 62; tries += 1) {
    statuses.push(
      (await callAs(person, '/v1/auth/session', { method: 'PATCH', body: { slug: 'nobody-here' } })).status,
    );
  }
  assert.deepEqual([statuses.filter((status) => status === 404).length, statuses.at(-1)], [60, 429]);
});
