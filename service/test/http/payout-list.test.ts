import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { listAt, textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { bankOf, call, createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi } from '../harness/processes.ts';

const publicUrl = 'http://api.kelpie.test';
const database = await createTestDatabase();
const api = await startApi({ database });

async function newPartner() {
  return { ...(await createSimulatedPartner(database)), url: api.url };
}

/** Oldest first: with a reference of its own each, and every third to an account that fails. */
async function createMany(client: { url: string; key: string }, count: number): Promise<ApiAnswer[]> {
  const made: ApiAnswer[] = [];
  for (let at = 0; at < count; at += 1) {
    const account = at % 3 === 2 ? '55550000' : '55551234';
    made.push(await createPayout(client, payoutBody({ reference: `Order ${at}` }, bankOf(account)), `list-key-${at}`));
  }
  return made;
}

function idsOf({ json }: ApiAnswer): string[] {
  return listAt(json, 'data').map((payout) => textAt(payout, 'id'));
}

function nextOf({ headers }: ApiAnswer): string | null {
  const [, address] = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
  return address === undefined ? null : address.replace(publicUrl, '');
}

async function readAll(client: { url: string; key: string }, path: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | null = path; next !== null;) {
    const page = await call(client, next);
    assert.equal(page.status, 200, page.text);
    pages.push(idsOf(page));
    next = nextOf(page);
  }
  return pages;
}

const partner = await newPartner();
const made = await createMany(partner, 10);
const newestFirst = made.map(({ id }) => id).toReversed();

test('the Link of each page leads through every payout once, newest first, and ends', async () => {
  const pages = await readAll(partner, '/v1/payouts?limit=4');
  assert.deepEqual(pages, [newestFirst.slice(0, 4), newestFirst.slice(4, 8), newestFirst.slice(8)]);
  assert.deepEqual(await readAll(partner, '/v1/payouts?limit=5'), [newestFirst.slice(0, 5), newestFirst.slice(5)]);
  assert.deepEqual(await readAll(partner, '/v1/payouts'), [newestFirst]);
});

test('a payout that is made while a list is read is not seen twice, and moves none off the page', async () => {
  const own = await newPartner();
  const before = (await createMany(own, 4)).map(({ id }) => id).toReversed();
  const first = await call(own, '/v1/payouts?limit=2');
  await createPayout(own);
  const second = await call(own, nextOf(first) ?? '');
  assert.deepEqual([...idsOf(first), ...idsOf(second)], before);
});

async function found(filter: string): Promise<string[]> {
  return (await readAll(partner, `/v1/payouts?limit=3&${filter}`)).flat();
}

test('filters keep what fits, over as many pages as it takes', async () => {
  const failed = made
    .filter(({ payout }) => payout === 'failed')
    .map(({ id }) => id)
    .toReversed();
  assert.equal(failed.length, 3);
  assert.deepEqual(await found('status=failed'), failed);
  assert.deepEqual(await found('status=failed,processing'), newestFirst);
  assert.deepEqual(await found('status=returned'), []);
  assert.deepEqual(await found('reference=Order%204'), [made[4]?.id]);
  assert.deepEqual(await found('reference=order%204'), []);
  assert.deepEqual(await found('idempotency_key=list-key-7'), [made[7]?.id]);
  assert.deepEqual(await found('idempotency_key=list-key-7&status=failed'), []);
  assert.deepEqual(await found('idempotency_key=no-such-key'), []);
  assert.deepEqual(await found('account_last4=0000'), failed);
  assert.deepEqual(await found('created_via=dashboard'), []);
  assert.deepEqual(await found('created_via=api&account_last4=1234&status=processing&reference=Order%200'), [
    made[0]?.id,
  ]);
});

test('a key whose payout is just being made is said to be in use, and not to have none', async () => {
  const own = await newPartner();
  const key = 'just-being-made';
  const { id } = await createPayout(own, payoutBody(), key);
  const become = async (state: string): Promise<void> =>
    asAdmin(database.superuserUrl, async (client) => {
      await client.query('set session_replication_role = replica');
      await client.query('update kelpie.payouts set state = $2 where id = $1', [id, state]);
    });
  await become('sending');
  const underWay = await call(own, `/v1/payouts?idempotency_key=${key}`);
  assert.deepEqual([underWay.status, textAt(underWay.json, 'error.code')], [409, 'idempotency_key_in_use']);
  await become('processing');
  assert.deepEqual(idsOf(await call(own, `/v1/payouts?idempotency_key=${key}`)), [id]);
  // It was not to be, and the key is free again.
  await become('not_created');
  assert.deepEqual(idsOf(await call(own, `/v1/payouts?idempotency_key=${key}`)), []);
});

test('created_after and created_before leave out the instants that they name', async () => {
  const at = textAt(made[5]?.json, 'created_at');
  const same = made.filter(({ json }) => textAt(json, 'created_at') === at).map(({ id }) => id);
  const after = made
    .filter(({ json }) => textAt(json, 'created_at') > at)
    .map(({ id }) => id)
    .toReversed();
  const before = made
    .filter(({ json }) => textAt(json, 'created_at') < at)
    .map(({ id }) => id)
    .toReversed();
  assert.deepEqual(await found(`created_after=${at}`), after);
  assert.deepEqual(await found(`created_before=${at}`), before);
  assert.equal(after.length + before.length + same.length, made.length);
  assert.deepEqual(await found(`created_after=${at}&created_before=${at}`), []);
  assert.deepEqual(await found('created_after=0001-01-01T00:00:00Z'), newestFirst);
  assert.deepEqual(await found('created_before=9999-12-31T23:59:59%2B23:59'), newestFirst);
});

test('a parameter that is misspelt, repeated or malformed is refused by its name', async () => {
  const wrong = [
    ['limit', 'limit=0'],
    ['limit', 'limit=201'],
    ['limit', 'limit=1.5'],
    ['limit', 'limit=%2010'],
    ['limit', 'limit=1&limit=2'],
    ['cursor', 'cursor=abc'],
    ['cursor', 'cursor='],
    ['status', 'status=paid'],
    ['status', 'status=failed,'],
    ['status', 'status=sending'],
    ['statuses', 'statuses=failed'],
    ['created_after', 'created_after=yesterday'],
    ['created_after', 'created_after=2026-11-31T00:00:00Z'],
    ['created_before', 'created_before=2026-12-31T23:59:60Z'],
    ['reference', `reference=${'x'.repeat(121)}`],
    ['reference', 'reference=a%00b'],
    ['idempotency_key', 'idempotency_key=short'],
    ['account_last4', 'account_last4=12345'],
    ['created_via', 'created_via=mail'],
  ];
  for (const [name, query] of wrong) {
    const answer = await call(partner, `/v1/payouts?${query}`);
    assert.equal(answer.code, 'invalid_request', `${query}: ${answer.text}`);
    assert.deepEqual(
      listAt(answer.json, 'error.details.fields').map((field) => textAt(field, 'path')),
      [name],
      query,
    );
  }
});

test("a cursor that is another partner's id, or nobody's, shows nothing but one's own", async () => {
  const other = await newPartner();
  await createPayout(other);
  const pages = await readAll(other, `/v1/payouts?cursor=${newestFirst[0]}`);
  assert.deepEqual(pages, [[]]);
  assert.equal((await readAll(other, `/v1/payouts?cursor=${randomUUID()}`)).flat().length <= 1, true);
});

/** Ten of the oldest reference, looking at four payouts. */
async function searchOldest(before: string) {
  return asAdmin(database.serviceUrl, async (client) =>
    client.query<{ id: string; state: string | null }>(
      `select id, state from kelpie.filter_payouts($1, 'sandbox', '00000000-0000-0000-0000-000000000000', $2, null,
         'Order 0', null, null, null, 10, 4)`,
      [partner.partnerId, before],
    ),
  );
}

test('a search looks at a bounded number of payouts, and says where to go on', async () => {
  const first = await searchOldest('ffffffff-ffff-ffff-ffff-ffffffffffff');
  assert.deepEqual(first.rows, [{ id: newestFirst[3], state: null }]);
  const second = await searchOldest(newestFirst[3] ?? '');
  assert.deepEqual(second.rows, [{ id: newestFirst[7], state: null }]);
  const third = await searchOldest(newestFirst[7] ?? '');
  assert.deepEqual(third.rows, [{ id: newestFirst[9], state: 'processing' }]);
});
