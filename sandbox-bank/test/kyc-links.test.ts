import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { Client } from 'pg';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { accountBody, callWire, createCustomer, pay } from './customer.ts';
import { startSandboxBank } from './harness.ts';
import { isGenuine, startReceiver } from './receiver.ts';

const bank = await startSandboxBank({ settleAfterMs: 60_000 });
const backTo = 'https://dashboard.kelpie.test/verification?from=bank';

function linkBody(change: object = {}): object {
  return {
    email: `${randomUUID()}@tide.test`,
    type: 'business',
    full_name: 'Tideway',
    endorsements: ['faster_payments'],
    redirect_uri: backTo,
    ...change,
  };
}

async function createLink(change: object = {}): Promise<string> {
  const { status, json, text } = await callWire(bank, '/kyc_links', { body: linkBody(change) });
  assert.equal(status, 201, text);
  return textAt(json, 'id');
}

async function read(id: string): Promise<unknown> {
  const { status, json, text } = await callWire(bank, `/kyc_links/${id}`);
  assert.equal(status, 200, text);
  return json;
}

async function statusesOf(id: string): Promise<unknown[]> {
  const link = await read(id);
  return [valueAt(link, 'kyc_status'), valueAt(link, 'tos_status')];
}

/** Opens a wallet and registers a recipient for a customer that has nothing yet; what it gives orders a transfer. */
async function prepare(customerId: string) {
  const wallet = await callWire(bank, `/customers/${customerId}/wallets`, { body: { chain: 'base' } });
  const path = `/customers/${customerId}/external_accounts`;
  const account = await callWire(bank, path, { body: accountBody('55779911') });
  const source = { currency: 'usdc', payment_rail: 'bridge_wallet', bridge_wallet_id: textAt(wallet.json, 'id') };
  const destination = {
    currency: 'gbp',
    payment_rail: 'faster_payments',
    external_account_id: valueAt(account.json, 'id'),
    amount: '10.00',
    reference: 'First',
  };
  return async () => callWire(bank, '/transfers', { body: { on_behalf_of: customerId, source, destination } });
}

test('a new KYC link has two pages to go to, nothing decided, and no customer', async () => {
  const { status, json } = await callWire(bank, '/kyc_links', { body: linkBody({ email: 'new@tide.test' }) });
  assert.equal(status, 201);
  const id = textAt(json, 'id');
  assert.deepEqual(json, {
    id,
    type: 'business',
    full_name: 'Tideway',
    email: 'new@tide.test',
    kyc_link: `${bank.url}/verify/${id}`,
    tos_link: `${bank.url}/verify/${id}/terms`,
    kyc_status: 'not_started',
    tos_status: 'pending',
    rejection_reasons: [],
    customer_id: null,
    created_at: valueAt(json, 'created_at'),
  });
  assert.deepEqual(await read(id), json);
  assert.equal((await callWire(bank, `/kyc_links/${randomUUID()}`)).status, 404);
});

test('a wrong field is refused by its name', async () => {
  const wrong = [
    [{ email: 'nobody' }, 'email'],
    [{ type: 'charity' }, 'type'],
    [{ full_name: '' }, 'full_name'],
    [{ endorsements: 'faster_payments' }, 'endorsements'],
    [{ endorsements: ['faster_payments', 'faster_payments'] }, 'endorsements'],
    [{ endorsements: ['slower_payments'] }, 'endorsements'],
    [{ redirect_uri: 'javascript:alert(1)' }, 'redirect_uri'],
    [{ redirect_uri: '/back' }, 'redirect_uri'],
    [{ redirect_uri: "https://a;script-src'unsafe-inline'/" }, 'redirect_uri'],
  ] as const;
  for (const [change, key] of wrong) {
    const { status, json } = await callWire(bank, '/kyc_links', { body: linkBody(change) });
    assert.deepEqual([status, valueAt(json, 'source.key')], [400, key]);
  }
});

test('the same key replays the link, and the same email without it is told of the one that is there', async () => {
  const body = linkBody({ email: 'Twice@tide.test' });
  const key = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 10 }, async () => callWire(bank, '/kyc_links', { body, key })),
  );
  assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
  const again = await callWire(bank, '/kyc_links', { body: linkBody({ email: 'twice@TIDE.test' }) });
  assert.deepEqual([again.status, valueAt(again.json, 'code')], [400, 'duplicate_record']);
  assert.deepEqual(valueAt(again.json, 'existing_kyc_link'), answers[0]?.json);
});

test('an approved customer can open a wallet and pay, and one that the bank stops can not', async () => {
  const id = await createLink();
  await bank.control(`/kyc-links/${id}/approve`);
  const customerId = textAt(await read(id), 'customer_id');
  assert.deepEqual(await statusesOf(id), ['approved', 'approved']);
  const customer = await callWire(bank, `/customers/${customerId}`);
  assert.deepEqual(valueAt(customer.json, 'endorsements'), [{ name: 'faster_payments', status: 'approved' }]);
  assert.equal(valueAt(customer.json, 'business_name'), 'Tideway');
  const send = await prepare(customerId);
  assert.equal((await send()).status, 201);

  await bank.control(`/kyc-links/${id}/status`, { kyc_status: 'paused' });
  const refused = await send();
  assert.deepEqual([refused.status, valueAt(refused.json, 'code')], [400, 'endorsement_required']);
  await bank.control(`/kyc-links/${id}/status`, { kyc_status: 'approved' });
  assert.equal((await send()).status, 201);
  assert.equal(textAt(await read(id), 'customer_id'), customerId);
});

test('who did not ask for Faster Payments becomes a customer that can not pay by it', async () => {
  const id = await createLink({ endorsements: ['base'] });
  await bank.control(`/kyc-links/${id}/approve`);
  const send = await prepare(textAt(await read(id), 'customer_id'));
  assert.equal(valueAt((await send()).json, 'code'), 'endorsement_required');
});

test('there is no customer before both the verification and the terms are approved', async () => {
  const id = await createLink();
  await bank.control(`/kyc-links/${id}/status`, { kyc_status: 'approved' });
  assert.equal(valueAt(await read(id), 'customer_id'), null);
  await bank.control(`/kyc-links/${id}/accept-terms`);
  assert.equal(typeof valueAt(await read(id), 'customer_id'), 'string');
  await assert.rejects(bank.control(`/kyc-links/${id}/reject`), /invalid_state/);
});

test('a refusal and a request for more have their reason, which goes when they do', async () => {
  const id = await createLink();
  await bank.control(`/kyc-links/${id}/reject`, { reason: 'The director is unknown.' });
  assert.deepEqual(await statusesOf(id), ['rejected', 'approved']);
  assert.equal(valueAt(await read(id), 'rejection_reasons.0.reason'), 'The director is unknown.');
  await bank.control(`/kyc-links/${id}/ask-for-more`);
  assert.equal(listAt(await read(id), 'rejection_reasons').length, 1);
  await bank.control(`/kyc-links/${id}/review`);
  assert.deepEqual(valueAt(await read(id), 'rejection_reasons'), []);
  assert.deepEqual(await statusesOf(id), ['under_review', 'approved']);
});

test('every change is told, in order and signed, and what changes nothing is not', async () => {
  const receiver = await startReceiver(bank);
  const id = await createLink();
  await bank.control(`/kyc-links/${id}/accept-terms`);
  await bank.control(`/kyc-links/${id}/accept-terms`);
  await bank.control(`/kyc-links/${id}/ask-for-more`);
  await bank.control(`/kyc-links/${id}/approve`);
  const states = ['not_started', 'not_started', 'incomplete', 'approved'];
  await eventually('all four', async () => receiver.statesOf(id).length >= states.length);
  assert.deepEqual(receiver.statesOf(id), states);
  for (const message of receiver.received) assert(isGenuine(message, receiver.publicKey));
  const events = receiver.received.map(({ event }) => event);
  const updated = 'kyc_link.updated.status_transitioned';
  assert.deepEqual(
    events.map((event) => [valueAt(event, 'event_category'), valueAt(event, 'event_type')]),
    ['kyc_link.created', updated, updated, updated].map((type) => ['kyc_link', type]),
  );
  const customerId = valueAt(await read(id), 'customer_id');
  assert.deepEqual(
    events.map((event) => valueAt(event, 'event_object_changes')),
    [
      {},
      { tos_status: ['pending', 'approved'] },
      { kyc_status: ['not_started', 'incomplete'] },
      { kyc_status: ['incomplete', 'approved'], customer_id: [null, customerId] },
    ],
  );
  assert.deepEqual(valueAt(events.at(-1), 'event_object'), await read(id));
});

test('faults meet KYC links by their own names', async () => {
  const body = linkBody();
  await bank.control('/faults', { on: 'kyc_link.create', kind: 'error_after', times: 1 });
  assert.equal((await callWire(bank, '/kyc_links', { body })).status, 500);
  const again = await callWire(bank, '/kyc_links', { body });
  assert.equal(valueAt(again.json, 'code'), 'duplicate_record');
  const id = textAt(again.json, 'existing_kyc_link.id');
  await bank.control('/faults', { on: 'kyc_link.read', kind: 'html', times: 1 });
  assert.match((await callWire(bank, `/kyc_links/${id}`)).text, /^<!doctype html>/);
  assert.deepEqual(await statusesOf(id), ['not_started', 'pending']);
});

/** Presses a button as a browser does. */
async function press(id: string, act: string, fields: Record<string, string> = {}, origin = bank.url) {
  const response = await fetch(`${bank.url}/verify/${id}/${act}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin },
    body: new URLSearchParams(fields),
  });
  return [response.status, response.headers.get('location')];
}

test('a person accepts the terms, is asked for more, refused and approved on the pages, and is sent back', async () => {
  const id = await createLink();
  const page = async () => (await fetch(`${bank.url}/verify/${id}`)).text();
  assert.match(await (await fetch(`${bank.url}/verify/${id}/terms`)).text(), /Accept the terms/);
  assert.doesNotMatch(await page(), /Approve/);
  assert.deepEqual(await press(id, 'approve'), [400, null]);
  assert.deepEqual(await press(id, 'accept-terms'), [303, `/verify/${id}`]);
  assert.match(await page(), /Approve/);
  assert.deepEqual(await press(id, 'ask-for-more', { reason: 'Who owns it?' }), [303, backTo]);
  assert.deepEqual(await statusesOf(id), ['incomplete', 'approved']);
  assert.match(await page(), /Who owns it\?/);
  assert.deepEqual(await press(id, 'reject', { reason: 'No & never' }), [303, backTo]);
  assert.equal(valueAt(await read(id), 'rejection_reasons.0.reason'), 'No & never');
  assert.match(await page(), /No &amp; never/);
  assert.deepEqual(await press(id, 'approve'), [303, backTo]);
  assert.deepEqual(await statusesOf(id), ['approved', 'approved']);
  assert.doesNotMatch(await page(), /Reject/);
  assert.match(await (await fetch(`${bank.url}/`)).text(), new RegExp(`/verify/${id}`));
});

test('without an address to go back to, a person stays on the page', async () => {
  const id = await createLink({ redirect_uri: null });
  await press(id, 'accept-terms');
  assert.deepEqual(await press(id, 'review'), [303, `/verify/${id}`]);
});

test('names and reasons are shown as they are, run nothing, and a form of another page is refused', async () => {
  const id = await createLink({ full_name: '<script>alert(1)</script>"&', redirect_uri: 'https://a.test/?q="><b>' });
  await bank.control(`/kyc-links/${id}/reject`, { reason: '<img src=x onerror=alert(1)>' });
  for (const path of [`/verify/${id}`, `/verify/${id}/terms`, '/']) {
    const response = await fetch(bank.url + path);
    const html = await response.text();
    assert.doesNotMatch(html, /<script|<img|<b>/, path);
    assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
  }
  const policy = (await fetch(`${bank.url}/verify/${id}`)).headers.get('content-security-policy');
  assert.match(policy ?? '', /form-action 'self' https:\/\/a\.test$/);
  assert.deepEqual(await press(id, 'approve', {}, 'http://elsewhere.test'), [401, null]);
  assert.deepEqual(await statusesOf(id), ['rejected', 'approved']);
});

test('a database from before there were KYC links gets them, and keeps what it has', async () => {
  const old = await startSandboxBank({ settleAfterMs: 60_000 });
  const customer = await createCustomer(old);
  await pay(old, customer);
  await old.child.stop();
  const client = new Client({ connectionString: old.databaseUrl });
  await client.connect();
  try {
    await client.query(`alter table bank.events drop column kyc_link_id, alter column transfer_id set not null;
      alter table bank.customers drop column faster_payments; drop table bank.kyc_links`);
  } finally {
    await client.end();
  }
  await old.restart();
  await pay(old, customer);
  const { json } = await callWire(old, '/kyc_links', { body: linkBody() });
  const approved = await old.control(`/kyc-links/${textAt(json, 'id')}/approve`);
  assert.equal(valueAt(approved, 'kyc_status'), 'approved');
});
