import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { operations } from '../harness/contract.ts';
import { createTestDatabase } from '../harness/database.ts';
import { callAs, signIn } from '../harness/people.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi } from '../harness/processes.ts';
import { askFromPage, foreignPages, isOpen } from './foreign-pages.ts';
import { addMembers, cookieOf, giveCode, newAddress, plantCodes } from '../harness/sign-in.ts';

// A page of another site has a browser ask us something, with the cookie that it should not have sent.

const database = await createTestDatabase();
const ownOrigin = 'https://api.kelpie.test';
const api = await startApi({ database, env: { KELPIE_PUBLIC_URL: ownOrigin } });
const partner = await createSimulatedPartner(database);
const admin = await signIn(database, partner, { url: api.url });

const foreign = foreignPages(ownOrigin);

async function askRaw(method: string, path: string, headers: Record<string, string>): Promise<[number, string]> {
  const { status, code } = await askFromPage(api.url, { method, path }, headers);
  return [status, code];
}

for (const { id, method, path } of operations.filter((operation) => !isOpen(operation))) {
  test(`${id} is refused to a page of another site, whatever the cookie`, async () => {
    for (const [page, headers] of Object.entries(foreign)) {
      assert.deepEqual(
        await askRaw(method, path, { cookie: admin.cookie, ...headers }),
        [403, 'cross_site_request'],
        page,
      );
    }
    if (method === 'GET') return;
    assert.deepEqual(await askRaw(method, path, { cookie: admin.cookie }), [403, 'cross_site_request'], 'nothing said');
  });
}

const withoutSession = operations.filter((operation) => operation.method === 'POST' && isOpen(operation));

for (const { id, method, path } of withoutSession) {
  test(`${id} is refused to a page of another site, which could else sign a browser in as somebody else`, async () => {
    for (const [page, headers] of Object.entries(foreign)) {
      assert.deepEqual(await askRaw(method, path, headers), [403, 'cross_site_request'], page);
    }
  });
}

test('faults 51: what was refused has done nothing', async () => {
  assert.equal((await callAs(admin, '/v1/auth/session')).status, 200, 'still signed in');
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query('select 1 from kelpie.sign_in_codes union all select 1 from kelpie.payouts'),
  );
  assert.deepEqual(rows, []);
});

test('a page of our own is served, by what the browser says of it', async () => {
  const email = newAddress();
  await addMembers(database, partner.partnerId, [email]);
  await plantCodes(database, [{ email, code: '123456' }]);
  const headers = { origin: ownOrigin, 'sec-fetch-site': 'same-origin' };
  const cookie = cookieOf(await giveCode(api.url, { email, code: '123456' }, { headers }));
  const ended = await callAs({ url: api.url, cookie }, '/v1/auth/session', { method: 'DELETE', headers });
  assert.equal(ended.status, 200);
});

const sent = (origin: string) => ({ headers: { origin, 'sec-fetch-site': 'same-origin' } });

test('where the dashboard has an address of its own, its pages are served, and those of the api itself are not', async () => {
  const dashboard = 'https://dashboard.kelpie.test';
  const { url } = await startApi({ database, env: { KELPIE_PUBLIC_URL: ownOrigin, KELPIE_DASHBOARD_URL: dashboard } });
  const email = newAddress();
  await addMembers(database, partner.partnerId, [email]);
  await plantCodes(database, [{ email, code: '123456' }]);
  assert.equal((await giveCode(url, { email, code: '123456' }, sent(ownOrigin))).code, 'cross_site_request');
  const cookie = cookieOf(await giveCode(url, { email, code: '123456' }, sent(dashboard)));
  const end = async (origin: string) =>
    callAs({ url, cookie }, '/v1/auth/session', { method: 'DELETE', ...sent(origin) });
  assert.equal((await end(ownOrigin)).code, 'cross_site_request');
  assert.equal((await end(dashboard)).status, 200);
});

test('a form of another site can not be sent at all', async () => {
  const response = await fetch(`${api.url}/v1/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: '{"email":"a@people.test","code":"123456"}',
    signal: AbortSignal.timeout(10_000),
  });
  assert.equal(response.status, 415);
  await response.text();
});
