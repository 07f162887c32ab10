import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { apiKey, order, payout } from '../test/examples.ts';
import { startStandInApi } from '../test/stand-in-api.ts';
import { createKelpie, type Event } from './index.ts';

const api = await startStandInApi();
const kelpie = createKelpie({ apiKey, baseUrl: api.url });

/** Three pages of one payout each, by their cursors. */
function answerPages(): void {
  const after = new Map([
    ['', 'second+/='],
    ['second+/=', 'third'],
  ]);
  api.answer(({ query: { cursor = '', limit = '' } }) => {
    const next = after.get(cursor);
    const link = `<${api.url}/v1/payouts?limit=${limit}&cursor=${encodeURIComponent(next ?? '')}>; rel="next"`;
    return {
      json: { object: 'list', data: [{ ...payout, reference: cursor }] },
      headers: next === undefined ? {} : { link },
    };
  });
}

test('a payout is ordered with its key, and a repeated one says that it is the first', async () => {
  api.answer(() => ({ status: 201, json: payout }));
  assert.deepEqual(await kelpie.payouts.create(order, { idempotencyKey: 'order-42' }), { payout, replayed: false });
  api.answer(() => ({ status: 200, json: payout, headers: { 'idempotent-replayed': 'true' } }));
  assert.deepEqual(await kelpie.payouts.create(order, { idempotencyKey: 'order-42' }), { payout, replayed: true });
  const [asked] = api.asked;
  assert.deepEqual([asked?.method, asked?.path, asked?.query, asked?.body], ['POST', '/v1/payouts', {}, order]);
  assert.equal(asked?.headers['idempotency-key'], 'order-42');
  assert.equal(asked?.headers['authorization'], `Bearer ${apiKey}`);
  assert.equal(asked?.headers['content-type'], 'application/json');
});

test('a payout is waited for as long as was asked, beyond the time that other calls have', async () => {
  // Its own: a request whose caller gave up can arrive during the next test.
  const slow = await startStandInApi();
  const patient = createKelpie({ apiKey, baseUrl: slow.url });
  const impatient = createKelpie({ apiKey, baseUrl: slow.url, timeoutMs: 50, retries: 0 });
  slow.answer((_asked, response) => {
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(payout)), 200);
    return undefined;
  });
  assert.deepEqual(await impatient.payouts.get(payout.id, { wait: 20 }), payout);
  assert.deepEqual(slow.asked[0]?.query, { wait: '20' });
  await assert.rejects(impatient.payouts.get(payout.id), { reason: 'timeout' });
  await assert.rejects(patient.payouts.get(payout.id, { wait: 20, timeoutMs: 50, retries: 0 }), { reason: 'timeout' });
});

test('each call asks the one endpoint that it is named after', async () => {
  api.answer(() => ({ json: payout }));
  const id = payout.id;
  const signed = { id: 'AA', client_data: 'AA', authenticator_data: 'AA', signature: 'AA' };
  const eventId = '01a1e3b1-25d4-7c3e-b5d1-0f4a9e6b2d71';
  const calls: readonly [endpoint: string, call: () => Promise<unknown>][] = [
    ['GET /v1', async () => kelpie.discovery.get()],
    ['GET /v1/account', async () => kelpie.account.get()],
    ['PATCH /v1/account', async () => kelpie.account.update({ logo_url: null })],
    ['GET /v1/activity', async () => kelpie.activity.list()],
    ['GET /v1/compliance', async () => kelpie.compliance.get()],
    ['POST /v1/compliance/verification', async () => kelpie.compliance.startVerification()],
    ['GET /v1/deposits', async () => kelpie.deposits.list()],
    ['GET /v1/events', async () => kelpie.events.list({ after: 41 })],
    [`GET /v1/events/${id}`, async () => kelpie.events.get(id)],
    ['GET /v1/funding', async () => kelpie.funding.get()],
    ['GET /v1/invoices', async () => kelpie.invoices.list()],
    [`GET /v1/invoices/${id}`, async () => kelpie.invoices.get(id)],
    [`GET /v1/invoices/${id}/items`, async () => kelpie.invoices.listItems(id, { kind: 'credit' })],
    ['GET /v1/keys', async () => kelpie.keys.list()],
    ['POST /v1/keys', async () => kelpie.keys.create({ environment: 'sandbox' })],
    [`POST /v1/keys/${id}/roll`, async () => kelpie.keys.roll(id, { overlap_hours: 1 })],
    [`POST /v1/keys/${id}/lift-limit`, async () => kelpie.keys.liftLimit(id, { confirmCode: '123456' })],
    ['GET /v1/approval-rules', async () => kelpie.approvalRules.get()],
    ['PATCH /v1/approval-rules', async () => kelpie.approvalRules.update({ above_gbp: '5000.00' })],
    ['POST /v1/approval-rules/approve', async () => kelpie.approvalRules.approve()],
    ['POST /v1/approval-rules/decline', async () => kelpie.approvalRules.decline()],
    ['POST /v1/auth/passkey/options', async () => kelpie.auth.beginPasskeyStep()],
    ['POST /v1/auth/passkey', async () => kelpie.auth.completePasskeyStep({ use: signed })],
    ['GET /v1/passkeys', async () => kelpie.passkeys.listOwn()],
    ['POST /v1/passkey-options', async () => kelpie.passkeys.begin()],
    [
      'POST /v1/passkeys',
      async () =>
        kelpie.passkeys.add({
          name: 'Laptop',
          credential: { id: 'AA', client_data: 'AA', attestation: 'AA', transports: [] },
        }),
    ],
    [`PATCH /v1/passkeys/${id}`, async () => kelpie.passkeys.rename(id, 'Phone')],
    [`DELETE /v1/passkeys/${id}`, async () => kelpie.passkeys.remove(id)],
    ['POST /v1/passkey-proofs', async () => kelpie.passkeys.confirm(signed)],
    ['GET /v1/passkey-rule', async () => kelpie.passkeys.getRule()],
    ['PATCH /v1/passkey-rule', async () => kelpie.passkeys.setRule(true)],
    ['GET /v1/payout-requests', async () => kelpie.payoutRequests.list({ status: 'open' })],
    [`GET /v1/payout-requests/${id}`, async () => kelpie.payoutRequests.get(id)],
    [`POST /v1/payout-requests/${id}/approve`, async () => kelpie.payoutRequests.approve(id)],
    [`POST /v1/payout-requests/${id}/decline`, async () => kelpie.payoutRequests.decline(id)],
    [`DELETE /v1/keys/${id}`, async () => kelpie.keys.revoke(id)],
    ['GET /v1/limits', async () => kelpie.limits.get()],
    ['PATCH /v1/limits', async () => kelpie.limits.update({ daily_limit_gbp: '20000.00' })],
    ['GET /v1/members', async () => kelpie.members.list()],
    ['POST /v1/members', async () => kelpie.members.invite({ email: 'ada@example.com', role: 'viewer' })],
    ['PATCH /v1/members/ada%40example.com', async () => kelpie.members.update('ada@example.com', { role: 'admin' })],
    ['GET /v1/members/me/notifications', async () => kelpie.members.getNotifications()],
    [
      'PATCH /v1/members/me/notifications',
      async () => kelpie.members.updateNotifications({ live_payout_problems: false }),
    ],
    ['DELETE /v1/members/ada%40example.com', async () => kelpie.members.remove('ada@example.com')],
    ['GET /v1/public/partners/acme', async () => kelpie.partners.getPublic('acme')],
    ['GET /v1/recipients', async () => kelpie.recipients.list()],
    [`POST /v1/sandbox/payouts/${id}/advance`, async () => kelpie.sandbox.advancePayout(id)],
    [`POST /v1/sandbox/payouts/${id}/fail`, async () => kelpie.sandbox.failPayout(id, { failure_code: 'regulatory' })],
    [`POST /v1/sandbox/payouts/${id}/return`, async () => kelpie.sandbox.returnPayout(id)],
    [`POST /v1/sandbox/payouts/${id}/hold`, async () => kelpie.sandbox.holdPayout(id)],
    ['POST /v1/sandbox/deposits', async () => kelpie.sandbox.createDeposit({ amount_gbp: '100.00' })],
    ['POST /v1/sandbox/bank', async () => kelpie.sandbox.setBank({ answers: 'lost', times: 2 })],
    ['GET /v1/security-events', async () => kelpie.securityEvents.list({ action: 'key.create' })],
    ['GET /v1/usage', async () => kelpie.usage.get()],
    ['GET /v1/usage/days', async () => kelpie.usage.listDays()],
    ['GET /v1/webhooks', async () => kelpie.webhooks.list()],
    ['POST /v1/webhooks', async () => kelpie.webhooks.create({ url: 'https://example.com/kelpie' })],
    [`GET /v1/webhooks/${id}`, async () => kelpie.webhooks.get(id)],
    [`PATCH /v1/webhooks/${id}`, async () => kelpie.webhooks.update(id, { enabled: false })],
    [`DELETE /v1/webhooks/${id}`, async () => kelpie.webhooks.delete(id)],
    [`POST /v1/webhooks/${id}/roll`, async () => kelpie.webhooks.rollSecret(id, { overlap_hours: 1 })],
    [`POST /v1/webhooks/${id}/test`, async () => kelpie.webhooks.test(id)],
    [`GET /v1/webhooks/${id}/deliveries`, async () => kelpie.webhooks.listDeliveries(id, { status: 'failed' })],
    [`GET /v1/webhooks/${id}/deliveries/${eventId}`, async () => kelpie.webhooks.getDelivery(id, eventId)],
    [`POST /v1/webhooks/${id}/deliveries/${eventId}/redeliver`, async () => kelpie.webhooks.redeliver(id, { eventId })],
    [`POST /v1/webhooks/${id}/redeliver`, async () => kelpie.webhooks.redeliver(id, { after: 41 })],
    ['POST /v1/auth/code', async () => kelpie.auth.requestCode({ email: 'ada@example.com' })],
    ['POST /v1/auth/session', async () => kelpie.auth.signIn({ email: 'ada@example.com', code: '123456' })],
    ['GET /v1/auth/session', async () => kelpie.auth.getSession()],
    ['PATCH /v1/auth/session', async () => kelpie.auth.switchAccount({ slug: 'acme' })],
    ['DELETE /v1/auth/session', async () => kelpie.auth.signOut()],
    ['GET /v1/auth/sessions', async () => kelpie.auth.listSessions()],
    ['DELETE /v1/auth/sessions', async () => kelpie.auth.endSessions({ of: 'me' })],
    [`DELETE /v1/auth/sessions/${id}`, async () => kelpie.auth.endSession(id)],
    ['POST /v1/auth/freeze', async () => kelpie.auth.freeze({ token: 'x' })],
    ['POST /v1/auth/confirm-address', async () => kelpie.auth.confirmAddress({ token: 'x' })],
    ['GET /v1/auth/accounts', async () => kelpie.auth.listAccounts()],
    ['POST /v1/signup', async () => kelpie.signup({ email: 'ada@example.com', name: 'Acme', slug: 'acme' })],
    ['GET /v1/balance', async () => kelpie.balance.get()],
    ['POST /v1/quotes', async () => kelpie.quotes.create({ amount_gbp: '25.00' })],
    ['GET /v1/payouts', async () => kelpie.payouts.list()],
    ['POST /v1/payouts', async () => kelpie.payouts.create(order, { idempotencyKey: 'order-42' })],
    [`GET /v1/payouts/${id}`, async () => kelpie.payouts.get(id)],
    [`GET /v1/payouts/${id}/history`, async () => kelpie.payouts.getHistory(id)],
    [`GET /v1/payouts/${id}/recipient`, async () => kelpie.payouts.getRecipient(id)],
    [`POST /v1/payouts/${id}/cancel`, async () => kelpie.payouts.cancel(id)],
  ];
  for (const [endpoint, call] of calls) {
    api.asked.length = 0;
    await call();
    assert.deepEqual(
      api.asked.map(({ method, path }) => `${method} ${path}`),
      [endpoint],
    );
  }
});

test('a code that confirms a call goes in its body, also where there is no other', async () => {
  api.answer(() => ({ json: payout }));
  const options = { confirmCode: '123456' };
  await kelpie.keys.create({ environment: 'live' }, options);
  await kelpie.members.remove('ada@example.com', options);
  await kelpie.members.remove('ada@example.com');
  assert.deepEqual(
    api.asked.map(({ body, query }) => ({ body, query })),
    [
      { body: { environment: 'live', confirm_code: '123456' }, query: {} },
      { body: { confirm_code: '123456' }, query: {} },
      { body: undefined, query: {} },
    ],
  );
});

test('an address may end in a slash or lie in a folder', async () => {
  api.answer(() => ({ json: payout }));
  await createKelpie({ apiKey, baseUrl: `${api.url}/` }).balance.get();
  await createKelpie({ apiKey, baseUrl: `${api.url}/payouts-api` }).balance.get();
  assert.deepEqual(
    api.asked.map(({ path }) => path),
    ['/v1/balance', '/payouts-api/v1/balance'],
  );
});

test('no id leads to another endpoint than its own', async () => {
  api.answer(() => ({ json: payout }));
  await kelpie.payouts.get('../balance?x=1#y');
  assert.equal(api.asked[0]?.path, '/v1/payouts/..%2Fbalance%3Fx%3D1%23y');
  api.asked.length = 0;
  for (const id of ['', '.', '..']) await assert.rejects(kelpie.payouts.get(id), TypeError);
  assert.deepEqual(api.asked, []);
});

test('a page says where the next one begins, and the last that there is none', async () => {
  answerPages();
  const first = await kelpie.payouts.list({ limit: 1 });
  assert.deepEqual(first, { data: [{ ...payout, reference: '' }], next: 'second+/=' });
  assert.deepEqual(api.asked[0]?.query, { limit: '1' });
  api.answer(() => ({ json: { object: 'list', data: [] } }));
  assert.deepEqual(await kelpie.payouts.list(), { data: [], next: undefined });
});

test('all of a list is walked page by page, with the same filters, and no further than it is read', async () => {
  answerPages();
  const seen: (string | null)[] = [];
  for await (const { reference } of kelpie.payouts.listAll({ limit: 1 })) seen.push(reference);
  assert.deepEqual(seen, ['', 'second+/=', 'third']);
  assert.deepEqual(
    api.asked.map(({ query }) => query),
    [{ limit: '1' }, { limit: '1', cursor: 'second+/=' }, { limit: '1', cursor: 'third' }],
  );
  api.asked.length = 0;
  for await (const { id } of kelpie.payouts.listAll()) {
    assert.equal(id, payout.id);
    break;
  }
  assert.equal(api.asked.length, 1);
});

test('all deliveries of a webhook are walked page by page, with the same filter', async () => {
  answerPages();
  const seen: unknown[] = [];
  for await (const delivery of kelpie.webhooks.listAllDeliveries('w1', { status: 'pending', limit: 1 }))
    seen.push(delivery);
  assert.equal(seen.length, 3);
  const filter = { status: 'pending', limit: '1' };
  assert.deepEqual(
    api.asked.map(({ path, query }) => [path, query]),
    [filter, { ...filter, cursor: 'second+/=' }, { ...filter, cursor: 'third' }].map((query) => [
      '/v1/webhooks/w1/deliveries',
      query,
    ]),
  );
});

test('every list that has pages can be walked to its end', () => {
  const walks: readonly [page: string, walk: string][] = [
    ['list', 'listAll'],
    ['listItems', 'listAllItems'],
    ['listDeliveries', 'listAllDeliveries'],
  ];
  const resources = Object.values(kelpie).filter((resource) => resource !== null && typeof resource === 'object');
  const paged = walks.flatMap(([page, walk]) => resources.filter((each) => page in each).map((each) => walk in each));
  assert(paged.length >= 12 && paged.every(Boolean));
});

test('a list that leads back to itself is not walked for ever', async () => {
  const link = '</v1/payouts?cursor=same>; rel="next"';
  api.answer(() => ({ json: { object: 'list', data: [payout] }, headers: { link } }));
  const walk = kelpie.payouts.listAll();
  await walk.next();
  await assert.rejects(walk.next(), /does not go on/);
  assert.equal(api.asked.length, 2);
});

test('a person who is signed in is known by a cookie, and names the environment', async () => {
  const inits: (RequestInit | undefined)[] = [];
  const signedIn = createKelpie({
    environment: 'live',
    baseUrl: api.url,
    async fetch(address, init) {
      inits.push(init);
      return fetch(address, init);
    },
  });
  api.answer(() => ({ json: payout }));
  await signedIn.balance.get();
  await signedIn.payouts.create(order, { idempotencyKey: 'order-42' });
  assert.deepEqual(
    api.asked.map(({ query, headers }) => [query, headers['authorization']]),
    [
      [{ environment: 'live' }, undefined],
      [{ environment: 'live' }, undefined],
    ],
  );
  assert.deepEqual(
    inits.map((init) => init?.credentials),
    ['include', 'include'],
  );
});

test('the key is in nothing that a program prints or stores', () => {
  for (const text of [inspect(kelpie, { depth: null, showHidden: true }), JSON.stringify(kelpie)])
    assert(!text.includes(apiKey), text);
});

test('a key that can be no such thing is refused at once, and is not repeated', async () => {
  for (const wrong of ['', ` ${apiKey}`, `${apiKey}\n`, `${apiKey}\nX: y`, 'schlüssel'])
    assert.throws(
      () => createKelpie({ apiKey: wrong, baseUrl: api.url }),
      (error) => error instanceof TypeError && !inspect(error).includes(apiKey),
    );
  api.answer(() => ({ json: payout }));
  await assert.rejects(kelpie.payouts.create(order, { idempotencyKey: 'order\n42' }), TypeError);
  assert.deepEqual(api.asked, []);
});

/** Compiles only where the type tells the data apart. */
function summaryOf(event: Event): string {
  if (event.type === 'payout.completed') return event.data.amount_gbp;
  if (event.type === 'member.removed') return event.data.email;
  return event.type;
}

test('the type of an event says what its data is', () => {
  const event: Event = {
    id: payout.id,
    object: 'event',
    environment: 'sandbox',
    sequence: 1,
    type: 'payout.completed',
    version: 2,
    created_at: payout.created_at,
    data: payout,
  };
  assert.equal(summaryOf(event), payout.amount_gbp);
  assert.equal(summaryOf({ ...event, type: 'payout.failed' }), 'payout.failed');
});
