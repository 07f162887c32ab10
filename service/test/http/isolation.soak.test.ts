import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { Agent, request } from 'undici';
import { monthOf } from '../../src/platform/london-month.ts';
import { plantRules, requestIn } from '../harness/approvals.ts';
import { call, createPayout, payoutBody, type Client } from '../harness/client.ts';
import { operations } from '../harness/contract.ts';
import { createTestDatabase } from '../harness/database.ts';
import { assertBooksHold } from '../harness/invariants.ts';
import { addKey, createSimulatedPartner, depositToEach } from '../harness/partners.ts';
import { numberFirstEvent } from '../harness/numbered-event.ts';
import { plantWebhook } from '../harness/planted-webhook.ts';
import { plantInvoice } from '../harness/planted-invoice.ts';
import { startApi } from '../harness/processes.ts';
import { atSize } from '../harness/sizes.ts';

// Faults 43 and 45: what is another's is not there, whoever asked on the same connection just before.

const requests = atSize(100_000);
const lanes = 32;

const database = await createTestDatabase();
// As few connections to the database as there can be: each serves both partners in turn, thousands of times.
const api = await startApi({ database, env: { KELPIE_DATABASE_CONNECTIONS: '2' } });
const agent = new Agent({ connections: lanes });
after(async () => agent.close());

interface Party extends Client {
  partnerId: string;
  prefix: string;
  /** In every name, reference and key of this partner, and nowhere else. */
  mark: string;
  payoutIds: string[];
}

async function createParty(name: string): Promise<Party> {
  const partner = await createSimulatedPartner(database);
  const mark = `${name}${randomBytes(8).toString('hex')}`;
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query('update kelpie.partners set name = $2 where id = $1', [partner.partnerId, mark]),
  );
  await depositToEach(database, [partner], 1_000_000_000_000n);
  const { key, partnerId } = partner;
  const party = { url: api.url, key, partnerId, prefix: key.slice(0, 19), mark, payoutIds: Array.of<string>() };
  for (let times = 0; times < 20; times += 1) party.payoutIds.push((await createPayout(party, bodyOf(party))).id);
  return party;
}

function bodyOf({ mark }: Pick<Party, 'mark'>): object {
  return payoutBody({ reference: mark }, { first_name: mark });
}

const one = await createParty('One');
const two = await createParty('Two');

test('the marks, ids and keys of the two have nothing in common, so that a crossed row would be seen', () => {
  assert.notEqual(one.prefix, two.prefix);
  assert.equal(new Set([...one.payoutIds, ...two.payoutIds]).size, 40);
});

interface Asked {
  method?: 'POST';
  path: string;
  body?: object;
  /** Of the answer to the partner that it is about. */
  check?: (json: unknown) => boolean;
  status?: number;
}

function pick<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)];
  assert(item !== undefined);
  return item;
}

function isOwnId(own: Party): (json: unknown) => boolean {
  return (json) => own.payoutIds.includes(textAt(json, 'id'));
}

/** What can be asked, each about as often as the next. */
const askings: readonly ((own: Party, other: Party) => Asked)[] = [
  ({ partnerId }) => ({ path: '/v1/account', check: (json) => valueAt(json, 'id') === partnerId }),
  () => ({ path: '/v1/balance' }),
  () => ({ path: '/v1/compliance' }),
  () => ({ path: '/v1/usage' }),
  () => ({ path: '/v1/usage/days' }),
  ({ prefix }) => ({ path: '/v1/keys', check: (json) => valueAt(json, 'data.0.key_prefix') === prefix }),
  ({ mark }) => ({ path: '/v1/recipients', check: (json) => valueAt(json, 'data.0.name') === `${mark} Canaryname` }),
  ({ mark }) => ({ path: '/v1/payouts?limit=3', check: (json) => valueAt(json, 'data.2.reference') === mark }),
  ({ mark }) => ({
    path: `/v1/payouts?limit=3&reference=${mark}`,
    check: (json) => valueAt(json, 'data.2.reference') === mark,
  }),
  (_own, { mark }) => ({
    path: `/v1/payouts?reference=${mark}`,
    check: (json) => valueAt(json, 'data.0') === undefined,
  }),
  ({ mark }) => ({
    path: `/v1/statement?limit=5&month=${monthOf(new Date())}`,
    check: (json) => valueAt(json, 'movements.4.reference') === mark,
  }),
  () => ({ path: '/v1/quotes', method: 'POST', body: { amount_gbp: '5.00' } }),
  (own) => ({ path: `/v1/payouts/${pick(own.payoutIds)}`, check: isOwnId(own) }),
  (own) => ({ path: `/v1/payouts/${pick(own.payoutIds)}`, check: isOwnId(own) }),
  (own) => ({
    path: `/v1/payouts/${pick(own.payoutIds)}/history`,
    check: (json) => own.payoutIds.includes(textAt(json, 'payout_id')),
  }),
  (_own, other) => ({ path: `/v1/payouts/${pick(other.payoutIds)}/history`, status: 404 }),
  (_own, other) => ({ path: `/v1/payouts/${pick(other.payoutIds)}`, status: 404 }),
  (_own, other) => ({ path: `/v1/payouts/${pick(other.payoutIds)}/cancel`, method: 'POST', status: 404 }),
  (_own, other) => ({ path: `/v1/sandbox/payouts/${pick(other.payoutIds)}/fail`, method: 'POST', status: 404 }),
];
/** These read or write more, so they come more seldom. */
const seldom: readonly ((own: Party) => Asked)[] = [
  ({ prefix }) => ({ path: '/v1/activity', check: (json) => valueAt(json, 'data.0.by') === prefix }),
  (own) => ({ path: '/v1/payouts', method: 'POST', body: bodyOf(own), status: 201 }),
];

async function askOnce(own: Party, other: Party): Promise<void> {
  const {
    path,
    method = 'GET',
    body,
    check,
    status = 200,
  } = (Math.random() < 0.02 ? pick(seldom) : pick(askings))(own, other);
  const answer = await request(own.url + path, {
    dispatcher: agent,
    method,
    headers: {
      authorization: `Bearer ${own.key}`,
      'idempotency-key': `${own.mark}:${randomUUID()}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  const said = `${method} ${path}: ${answer.statusCode} ${text.slice(0, 300)}`;
  assert.equal(answer.statusCode, status, said);
  const foreign = [other.mark, other.partnerId, other.prefix, ...other.payoutIds.slice(0, 20)];
  assert(!foreign.some((mark) => text.includes(mark)), `another's: ${said}`);
  const json: unknown = JSON.parse(text);
  if (status === 201) own.payoutIds.push(textAt(json, 'id'));
  assert(check?.(json) ?? true, `not one's own: ${said}`);
}

test(`faults 45: of ${requests.toLocaleString('en-GB')} interleaved requests of two partners, none is answered with a row of the other`, async (t) => {
  const startedAt = performance.now();
  let left = requests;
  const lane = async (): Promise<void> => {
    for (let turn = 0; left > 0; turn += 1) {
      left -= 1;
      await (turn % 2 === 0 ? askOnce(one, two) : askOnce(two, one));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const seconds = (performance.now() - startedAt) / 1_000;
  t.diagnostic(
    `${Math.round(requests / seconds)} requests a second; ${one.payoutIds.length + two.payoutIds.length} payouts`,
  );
  await assertBooksHold(database);
});

test('faults 43: every route with an id of another partner, or of the other environment, answers 404', async () => {
  const live = await addLiveKey(one.partnerId);
  // What only people may do is tried with theirs, in the tests of it: a key is turned away before its id is looked at.
  const forKeys = operations.filter(({ codes }) => !codes.some(({ code }) => code === 'session_required'));
  // What is deleted last was there for the others.
  const withId = forKeys
    .filter(({ path }) => path.includes('{id}'))
    .toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
  assert(withId.length >= 2, 'no operation takes an id');
  const invoiceId = await plantInvoice(database, one.partnerId);
  const eventId = await numberFirstEvent(database, one);
  const webhook = await plantWebhook(database, one);
  const ofOne = { partnerId: one.partnerId, environment: 'sandbox' } as const;
  await plantRules(database, ofOne, { abovePence: 0n });
  const requestId = requestIn(await createPayout(one));
  await plantRules(database, ofOne, {});
  for (const { method, path } of withId) {
    // Invoices are the partner's, over both environments.
    const isInvoice = path.startsWith('/v1/invoices/');
    const things = {
      invoices: invoiceId,
      events: eventId,
      webhooks: webhook.id,
      payouts: one.payoutIds[0] ?? '',
      'payout-requests': requestId,
    };
    const isSandboxOnly = path.startsWith('/v1/sandbox/');
    const [, id = ''] = Object.entries(things).find(([kind]) => path.includes(`/${kind}/`)) ?? [];
    const address = path.replace('{id}', id).replace('{event_id}', webhook.eventId);
    for (const stranger of isInvoice ? [two] : [two, { url: api.url, key: live }]) {
      const answer = await call(stranger, address, requestFor(method, path));
      // A live key is turned away before the id is looked at.
      const expected = isSandboxOnly && stranger !== two ? [403, 'sandbox_only'] : [404, 'not_found'];
      assert.deepEqual([answer.status, answer.code], expected, `${method} ${path}`);
    }
    const own = await call(one, address, requestFor(method, path));
    assert.notEqual(own.status, 404, `${method} ${path} does not know one's own either`);
  }
});

/** With a body that is right where the route wants one: what is wrong with it would be said first. */
function requestFor(method: string, path: string): { method: string; body?: object } {
  if (path === '/v1/webhooks/{id}/redeliver') return { method, body: { after: 0 } };
  return method === 'PATCH' || path.endsWith('/roll') ? { method, body: {} } : { method };
}

async function addLiveKey(partnerId: string): Promise<string> {
  await asAdmin(database.superuserUrl, async (admin) => {
    await admin.query(
      `insert into kelpie.partner_environments (partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id)
       values ($1, 'live', now(), 'provider_production', 'none', 'none')`,
      [partnerId],
    );
  });
  return (await addKey(database, { partnerId, environment: 'live' })).key;
}
