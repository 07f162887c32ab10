import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueAt } from '@kelpie/dev/json.ts';
import { call, type ApiAnswer } from '../harness/client.ts';
import { confirmPlantedAddresses } from '../harness/confirmed-addresses.ts';
import { confirming } from '../harness/confirming.ts';
import { createTestDatabase } from '../harness/database.ts';
import { mailedCode, waitingMails } from '../harness/mailed-code.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { startApi } from '../harness/processes.ts';
import { activityOf } from '../activity/recorded-activity.ts';

const database = await createTestDatabase();
const { url } = await startApi({ database });
const confirmed = confirming(database);
const partner = await createSimulatedPartner(database);
const admin = await signIn(database, partner, { url });
const everything = {
  logo_url: 'https://cdn.acme.test/logo.svg?v=2',
  brand_color: '#0f6e6e',
  billing_email: 'bills@acme.test',
  contact_email: 'ops@acme.test',
};

async function update(person: Person, body: object, query = '?environment=sandbox'): Promise<ApiAnswer> {
  return confirmed.call(person, `/v1/account${query}`, { method: 'PATCH', body });
}

async function shown(): Promise<unknown> {
  const account = await callAs(admin, '/v1/account');
  const compliance = await callAs(admin, '/v1/compliance');
  const page = await call({ url, key: null }, `/v1/public/partners/p-${partner.partnerId.slice(-12)}`);
  for (const field of ['logo_url', 'brand_color'])
    assert.equal(valueAt(page.json, field), valueAt(account.json, field));
  return {
    logo_url: valueAt(account.json, 'logo_url'),
    brand_color: valueAt(account.json, 'brand_color'),
    billing_email: valueAt(compliance.json, 'account.billing_email'),
    contact_email: valueAt(compliance.json, 'account.contact_email'),
  };
}

test('an admin sets logo, colour and addresses, and they are shown where they belong', async () => {
  const answer = await update(admin, everything);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.id, partner.partnerId);
  assert.equal(valueAt(answer.json, 'logo_url'), everything.logo_url);
  assert.deepEqual(await shown(), everything);
});

test('a colour in capital letters is taken, and shown in small ones', async () => {
  const answer = await update(admin, { brand_color: '#0F6E6E' });
  assert.deepEqual([answer.status, valueAt(answer.json, 'brand_color')], [200, '#0f6e6e']);
});

test('what is left out stays as it is, and null takes it away', async () => {
  await update(admin, everything);
  await update(admin, { brand_color: null });
  await update(admin, { billing_email: 'new@acme.test' });
  await update(admin, {});
  assert.deepEqual(await shown(), { ...everything, brand_color: null, billing_email: 'new@acme.test' });
});

test('what is not right is named, and nothing is changed then', async () => {
  await update(admin, everything);
  const wrong: readonly [field: string, value: unknown][] = [
    ['logo_url', 'http://cdn.acme.test/logo.svg'],
    ['logo_url', 'javascript:alert(1)'],
    ['logo_url', 'https://user:secret@acme.test/'],
    ['logo_url', `https://acme.test/${'x'.repeat(500)}`],
    ['logo_url', ''],
    ['brand_color', 'teal'],
    ['billing_email', 'bills'],
    ['billing_email', 'a@b.test, c@d.test'],
    ['contact_email', 7],
    ['contact_email', `${'a'.repeat(65)}@acme.test`],
    ['name', 'Another'],
    ['status', 'active'],
  ];
  for (const [field, value] of wrong) {
    const answer = await update(admin, { contact_email: null, [field]: value });
    assert.deepEqual([answer.status, answer.code], [422, 'invalid_request'], `${field} ${String(value)}`);
    assert.equal(valueAt(answer.json, 'error.details.fields.0.path'), field);
  }
  assert.deepEqual(await shown(), everything);
});

test('a change is in the activity list under the id of its request', async () => {
  const other = await createSimulatedPartner(database);
  const person = await signIn(database, other, { url });
  const answer = await update(person, everything);
  const done = (await activityOf(database, other, 'account.update')).filter(({ status }) => status === 200);
  assert.deepEqual(done, [
    {
      id: answer.headers.get('request-id'),
      status: 200,
      environment: 'sandbox',
      by: person.email,
      detail: other.partnerId,
    },
  ]);
});

test('the environment has to be named, and live is refused before verification', async () => {
  assert.equal((await update(admin, {}, '')).code, 'invalid_request');
  assert.equal((await update(admin, {}, '?environment=live')).code, 'verification_required');
});

test('a viewer and a key change nothing', async () => {
  await update(admin, everything);
  const viewer = await signIn(database, partner, { url, role: 'viewer' });
  assert.equal((await update(viewer, { logo_url: null })).code, 'api_key_required');
  const byKey = await call({ url, key: partner.key }, '/v1/account', { method: 'PATCH', body: { logo_url: null } });
  assert.equal(byKey.code, 'session_required');
  const foreign = { 'sec-fetch-site': 'cross-site' };
  const body = { logo_url: null };
  const crossSite = await callAs(admin, '/v1/account?environment=sandbox', { method: 'PATCH', body, headers: foreign });
  assert.equal(crossSite.code, 'cross_site_request');
  assert.deepEqual(await shown(), everything);
});

test('only a new contact or billing email asks for a code, and its email says what it replaces', async () => {
  const other = await createSimulatedPartner(database);
  const person = await signIn(database, other, { url });
  const ask = async (body: object): Promise<ApiAnswer> =>
    callAs(person, '/v1/account?environment=sandbox', { method: 'PATCH', body });
  assert.equal((await ask({ brand_color: '#0f6e6e', contact_email: null })).status, 200);
  assert.equal((await update(person, everything)).status, 200);
  await confirmPlantedAddresses(database, other.partnerId);
  assert.equal((await ask({ ...everything, logo_url: null })).status, 200);
  const change = { billing_email: 'new@acme.test', logo_url: 'https://acme.test/' };
  assert.equal((await ask(change)).code, 'confirmation_required');
  const code = await mailedCode(database, { to: person.email, kind: 'confirm-act' });
  const [mail] = await waitingMails(database, { to: person.email, kind: 'confirm-act' });
  assert.match(mail?.text ?? '', /^Billing email: new@acme\.test \(now: bills@acme\.test\)$/m);
  // Bound to all that is changed with it.
  assert.equal((await ask({ ...change, logo_url: null, confirm_code: code })).code, 'invalid_confirm_code');
  assert.equal((await ask({ ...change, confirm_code: code })).status, 200);
  for (const to of [person.email, 'bills@acme.test']) {
    const [notice] = await waitingMails(database, { to, kind: 'addresses-changed' });
    assert.match(notice?.text ?? '', /^Billing email: new@acme\.test \(before: bills@acme\.test\)$/m, to);
    assert.match(notice?.text ?? '', /This wasn't me\n\S+\/not-me#\S+\n/, to);
  }
  assert.deepEqual(await waitingMails(database, { to: 'ops@acme.test', kind: 'addresses-changed' }), []);
});
