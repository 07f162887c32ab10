import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { addKey, createSimulatedPartner, type TestPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { startApi } from '../harness/processes.ts';

const database = await createTestDatabase();
const api = await startApi({ database });
const { url } = api;
const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' };

interface Team {
  partner: TestPartner;
  admin: Person;
}

async function newTeam(): Promise<Team> {
  const partner = await createSimulatedPartner(database);
  return { partner, admin: await signIn(database, partner, { url }) };
}

async function invite(admin: Person, email: string): Promise<void> {
  const body = { email, role: 'viewer' };
  assert.equal((await callAs(admin, '/v1/members', { method: 'POST', body, headers })).status, 201);
}

async function actionsOf(admin: Person, query = ''): Promise<string[]> {
  return listAt((await callAs(admin, `/v1/security-events${query}`)).json, 'data').map((event) =>
    textAt(event, 'action'),
  );
}

test('a change of access is an event with who, what, the network and the browser', async () => {
  const { admin } = await newTeam();
  const email = 'grace@people.test';
  await invite(admin, email);
  const [event] = listAt((await callAs(admin, '/v1/security-events')).json, 'data');
  assert.deepEqual(
    ['object', 'environment', 'action', 'status', 'by', 'detail', 'network', 'browser'].map((name) =>
      valueAt(event, name),
    ),
    ['security_event', null, 'member.invite', 201, admin.email, email, '127.0.0.0/24', 'Firefox on Linux'],
  );
  assert(Math.abs(Date.parse(textAt(event, 'created_at')) - Date.now()) < 60_000);
});

test('keys, members and addresses each leave an event; a logo and a refusal leave none', async () => {
  const { partner, admin } = await newTeam();
  const { id } = await callAs(admin, '/v1/keys', { method: 'POST', body: { environment: 'sandbox' } });
  await callAs(admin, `/v1/keys/${id}`, { method: 'DELETE' });
  await callAs(admin, `/v1/keys/${partner.partnerId}`, { method: 'DELETE' });
  await invite(admin, 'alan@people.test');
  const body = { brand_color: '#0f6e6e' };
  const updated = await callAs(admin, '/v1/account?environment=sandbox', { method: 'PATCH', body });
  assert.equal(updated.status, 200);
  assert.deepEqual(await actionsOf(admin), ['member.invite', 'key.revoke', 'key.create']);
  assert.deepEqual(await actionsOf(admin, '?action=key.create'), ['key.create']);
});

test('no number of requests displaces an event, as they do in activity', async () => {
  const { partner, admin } = await newTeam();
  await invite(admin, 'grace@people.test');
  const reads = Array.from({ length: 220 }, async () => call({ url, key: partner.key }, '/v1/account'));
  assert((await Promise.all(reads)).every(({ status }) => status === 200));
  await eventually('activity holds reads alone', async () => {
    const rows = listAt((await callAs(admin, '/v1/activity')).json, 'data');
    return rows.length === 200 && rows.every((row) => textAt(row, 'action') === 'account.get');
  });
  assert.deepEqual(await actionsOf(admin), ['member.invite']);
});

test('pages follow each other by their cursors, without a gap or a repeat, in one action too', async () => {
  const { admin } = await newTeam();
  for (let number = 0; number < 5; number += 1) await invite(admin, `person-${number}@people.test`);
  await callAs(admin, '/v1/keys', { method: 'POST', body: { environment: 'sandbox' } });
  const seen: string[] = [];
  let address: string | undefined = '/v1/security-events?limit=2&action=member.invite';
  while (address !== undefined) {
    const { json, headers: answered } = await callAs(admin, address);
    seen.push(...listAt(json, 'data').map((event) => textAt(event, 'detail')));
    address = /<[^>]*(\/v1\/security-events[^>]*)>; rel="next"/.exec(answered.get('link') ?? '')?.[1];
  }
  assert.deepEqual(
    seen,
    [4, 3, 2, 1, 0].map((number) => `person-${number}@people.test`),
  );
  for (const wrong of ['?limit=0', '?cursor=x', '?action=Key', '?since=1'])
    assert.equal((await callAs(admin, `/v1/security-events${wrong}`)).code, 'invalid_request', wrong);
});

test('a sandbox key reads that live and the account changed, but not who did it, to what or from where', async () => {
  const { partner, admin } = await newTeam();
  await invite(admin, 'grace@people.test');
  await callAs(admin, '/v1/keys', { method: 'POST', body: { environment: 'sandbox' } });
  await callAs(admin, '/v1/keys', { method: 'POST', body: { environment: 'live' } });
  const client = { url, key: partner.key };
  const events = listAt((await call(client, '/v1/security-events')).json, 'data');
  const shown = ['action', 'by', 'network'].map((name) => events.map((event) => valueAt(event, name)));
  assert.deepEqual(shown, [
    ['key.create', 'member.invite'],
    [admin.email, 'hidden'],
    ['127.0.0.0/24', null],
  ]);
  const rows = await eventually('the refused live key is listed', async () => {
    const listed = listAt((await call(client, '/v1/activity')).json, 'data');
    return listed.some((row) => valueAt(row, 'environment') === 'live') && listed;
  });
  for (const row of rows.filter((one) => valueAt(one, 'environment') !== 'sandbox'))
    assert.deepEqual([valueAt(row, 'by'), valueAt(row, 'detail')], ['hidden', 'hidden'], JSON.stringify(row));
  assert(rows.some((row) => valueAt(row, 'by') === admin.email));
});

test('a sandbox key lists live keys without their digits and their label', async () => {
  const { partner, admin } = await newTeam();
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.partner_environments (partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id)
       values ($1, 'live', now(), 'provider_production', 'none', 'none')`,
      [partner.partnerId],
    ),
  );
  const live = await addKey(database, { ...partner, environment: 'live' });
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`update kelpie.api_keys set label = 'Payroll' where id = $1`, [live.keyId]),
  );
  const shownTo = async (ask: typeof admin | string) => {
    const { json } =
      typeof ask === 'string' ? await call({ url, key: ask }, '/v1/keys') : await callAs(ask, '/v1/keys');
    const key = listAt(json, 'data').find((one) => valueAt(one, 'id') === live.keyId);
    return [valueAt(key, 'key_prefix'), valueAt(key, 'label')];
  };
  assert.deepEqual(await shownTo(partner.key), ['kp_live_', null]);
  for (const reader of [live.key, admin]) assert.deepEqual(await shownTo(reader), [live.key.slice(0, 16), 'Payroll']);
});

test('another partner reads none of them, and nobody changes or deletes one', async () => {
  const { partner, admin } = await newTeam();
  await invite(admin, 'grace@people.test');
  assert.deepEqual(await actionsOf((await newTeam()).admin), []);
  const of = `where partner_id = '${partner.partnerId}'`;
  for (const sql of [`delete from kelpie.security_events ${of}`, `update kelpie.security_events set by = 'x' ${of}`])
    await assert.rejects(asAdmin(database.superuserUrl, async (client) => client.query(sql)));
});

test('no address in full is stored, and none is in a log', async () => {
  const { partner } = await newTeam();
  const insert = async (network: string) =>
    asAdmin(database.superuserUrl, async (client) =>
      client.query(
        `insert into kelpie.security_events (id, partner_id, action, status, by, network)
         values (kelpie.first_id_at(now()), $1, 'key.create', 201, 'test', $2)`,
        [partner.partnerId, network],
      ),
    );
  for (const whole of ['192.0.2.7/32', '2001:db8::1/128'])
    await assert.rejects(insert(whole), /security_events_\w*network_check/);
  await call({ url, key: partner.key }, '/v1/account');
  const line = await eventually('the request is logged', async () =>
    api
      .output()
      .split('\n')
      .find((text) => text.includes(partner.keyId)),
  );
  assert.match(line, new RegExp(`"caller_id":"${partner.keyId}","network":"127\\.0\\.0\\.0/24"`));
  assert.doesNotMatch(api.output(), /127\.0\.0\.1/);
});
