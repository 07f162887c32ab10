import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { monthOf } from '../../src/platform/london-month.ts';
import { bankOf, call, createPayout, payoutBody, type ApiAnswer, type Client } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { assertBooksHold } from '../harness/invariants.ts';
import { addKey, createPartners, createSimulatedPartner, type TestPartner } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import { plantPayout } from '../harness/planted-payout.ts';
import { startApi } from '../harness/processes.ts';
import { readNamedCsv } from '../harness/read-csv.ts';
import { book, makeMonths } from './booked-wallets.ts';

const database = await createTestDatabase();
await makeMonths(database, { from: '2026-01-01Z', months: 14 });
const api = await startApi({ database });
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
after(async () => pool.end());

type Paying = Client & TestPartner;

async function newPartner(): Promise<Paying> {
  return { ...(await createSimulatedPartner(database)), url: api.url };
}

/** Now, unless a test says otherwise: what is asked of the api happens by the clock on the wall. */
const month = monthOf(new Date());

async function statementOf(client: Client, query = `month=${month}&limit=200`): Promise<ApiAnswer> {
  return call(client, `/v1/statement?${query}`);
}

async function fileOf(client: Client, of = month): Promise<Record<string, string>[]> {
  const answer = await statementOf(client, `month=${of}&format=csv`);
  assert.equal(answer.status, 200, answer.text);
  return readNamedCsv(answer.text);
}

/** As a file has it: all text, and nothing for null. */
function textOrNumberAt(movement: unknown, name: string): string {
  const value = valueAt(movement, name);
  return typeof value === 'number' ? value.toString() : value === null ? '' : textAt(movement, name);
}

const micro = (usdc: string): bigint => BigInt(usdc.replace('.', ''));

/** What a finance team does first. */
function assertAddsUp(statement: unknown): void {
  let balance = micro(textAt(statement, 'opening_balance'));
  for (const movement of listAt(statement, 'movements')) {
    balance += micro(textAt(movement, 'amount'));
    assert.equal(micro(textAt(movement, 'balance')), balance);
  }
  assert.equal(micro(textAt(statement, 'closing_balance')), balance);
}

test('a statement tells what the wallet went through, by kind, payout and reference, and ends with the balance', async () => {
  const partner = await newPartner();
  const paid = await createPayout(partner, payoutBody({ reference: 'Order 1' }));
  const refused = await createPayout(partner, payoutBody({ reference: 'Order 2' }, bankOf('12340000')));
  const { json } = await statementOf(partner);
  assertAddsUp(json);
  const reported = listAt(json, 'movements').map((movement) =>
    ['number', 'kind', 'payout_id', 'reference'].map((field) => valueAt(movement, field)),
  );
  assert.deepEqual(reported, [
    [1, 'sandbox_float', null, null],
    [2, 'hold', paid.id, 'Order 1'],
    [3, 'hold', refused.id, 'Order 2'],
    [4, 'release', refused.id, 'Order 2'],
  ]);
  assert.equal(valueAt(json, 'movement_count'), 4);
  assert.equal(textAt(json, 'opening_balance'), '0.000000');
  const balance = await call(partner, '/v1/balance');
  assert.equal(textAt(json, 'closing_balance'), `${textAt(balance.json, 'usdc')}0000`);
  assert.equal(valueAt(listAt(json, 'movements')[1], 'amount'), `-${textAt(paid.json, 'wallet_sent_usdc')}0000`);
  await assertBooksHold(database);
});

test('the file has the same as the pages, line by line, and opens and closes with the balances', async () => {
  const partner = await newPartner();
  for (const reference of ['One', 'Two, with a comma', 'Three "quoted"'])
    await createPayout(partner, payoutBody({ reference }));
  const { json } = await statementOf(partner);
  const [opening, ...lines] = await fileOf(partner);
  const closing = lines.pop();
  assert.deepEqual([opening?.['kind'], opening?.['balance']], ['opening_balance', textAt(json, 'opening_balance')]);
  assert.deepEqual([closing?.['kind'], closing?.['balance']], ['closing_balance', textAt(json, 'closing_balance')]);
  assert.deepEqual(
    lines.map(({ date: _date, ...line }) => line),
    listAt(json, 'movements').map((movement) =>
      Object.fromEntries(
        ['number', 'at', 'kind', 'payout_id', 'deposit_id', 'reference', 'amount', 'balance'].map((name) => [
          name,
          textOrNumberAt(movement, name),
        ]),
      ),
    ),
  );
});

test('the file is one that a browser keeps, under a name that says what it is', async () => {
  const partner = await newPartner();
  const { headers } = await statementOf(partner, `month=${month}&format=csv`);
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  assert.equal(headers.get('content-disposition'), `attachment; filename="kelpie-statement-sandbox-${month}.csv"`);
  const person = await signIn(database, partner, { url: api.url, role: 'viewer' });
  const answer = await callAs(person, `/v1/statement?month=${month}&format=csv&environment=sandbox`);
  assert.equal(answer.status, 200);
});

test('a program can ask for the file by a header, and the address has the last word', async () => {
  const partner = await newPartner();
  const typeOf = async (accept: string, format = ''): Promise<string | null> => {
    const answer = await call(partner, `/v1/statement?month=${month}${format}`, { headers: { accept } });
    return answer.headers.get('content-type');
  };
  const [csv, json] = ['text/csv; charset=utf-8; header=present', 'application/json; charset=utf-8'];
  assert.equal(await typeOf('text/csv'), csv);
  assert.equal(await typeOf('application/json;q=0.5, text/csv;q=0.9'), csv);
  assert.equal(await typeOf('text/html,*/*;q=0.8'), json);
  assert.equal(await typeOf('text/csv', '&format=json'), json);
  assert.equal(await typeOf('application/json', '&format=csv'), csv);
});

test('faults 55: a reference that begins like a formula is a text in the file, and what it is in JSON', async () => {
  const partner = await newPartner();
  const references = ['=HYPERLINK("https://x.test";"y")', '+44 20', '-1+1', '@SUM(A1)', '＝1+1', "'=1"];
  for (const reference of references) await createPayout(partner, payoutBody({ reference }));
  const file = await fileOf(partner);
  assert.deepEqual(
    file.filter(({ kind }) => kind === 'hold').map(({ reference }) => reference),
    references.map((reference) => `'${reference}`),
  );
  for (const { amount = '' } of file.filter(({ kind }) => kind === 'hold')) assert.match(amount, /^-\d+\.\d{6}$/);
  const { json } = await statementOf(partner);
  const reported = listAt(json, 'movements').map((movement) => valueAt(movement, 'reference'));
  assert.deepEqual(reported, [null, ...references]);
});

test('times in the file are also those of London: a movement just after midnight in summer is of the new month', async () => {
  const [partnerEnvironment] = await createPartners(database, 1);
  assert(partnerEnvironment !== undefined);
  const client = { url: api.url, ...(await addKey(database, partnerEnvironment)) };
  await book(pool, partnerEnvironment, [
    { at: new Date('2026-06-30T22:59:59.999Z'), change: 5n },
    { at: new Date('2026-06-30T23:30:00.000Z'), change: 7n },
  ]);
  const [, june] = await fileOf(client, '2026-06');
  assert.deepEqual([june?.['date'], june?.['amount']], ['2026-06-30 23:59:59', '0.000005']);
  const [opening, july, closing] = await fileOf(client, '2026-07');
  assert.deepEqual([july?.['date'], july?.['at']], ['2026-07-01 00:30:00', '2026-06-30T23:30:00.000Z']);
  assert.deepEqual([opening?.['date'], closing?.['date']], ['2026-07-01 00:00:00', '2026-08-01 00:00:00']);
});

async function followLinks(client: Client, query: string): Promise<unknown[]> {
  const movements: unknown[] = [];
  for (let next = `/v1/statement?${query}`, pages = 0; next !== ''; pages += 1) {
    assert(pages < 100, 'the pages do not end');
    const { json, headers } = await call(client, next);
    movements.push(...listAt(json, 'movements'));
    next =
      /^<http:\/\/api\.kelpie\.test(\/v1\/statement\?[^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? '';
  }
  return movements;
}

test('the pages lead from one to the next, whatever their size, and leave nothing out', async () => {
  const partner = await newPartner();
  for (let made = 0; made < 9; made += 1) await createPayout(partner);
  const { json, headers } = await statementOf(partner);
  assert.equal(headers.get('link'), null);
  for (const limit of [1, 3, 4, 5, 10])
    assert.deepEqual(await followLinks(partner, `month=${month}&limit=${limit}`), listAt(json, 'movements'));
});

test('a page that a person is led to names the environment, and one for a key does not', async () => {
  const partner = await newPartner();
  await createPayout(partner);
  const person = await signIn(database, partner, { url: api.url });
  const { headers } = await callAs(person, `/v1/statement?month=${month}&limit=1`);
  const expected = `http://api.kelpie.test/v1/statement?environment=sandbox&month=${month}&limit=1&cursor=2`;
  assert.equal(headers.get('link'), `<${expected}>; rel="next"`);
  const ofKey = await statementOf(partner, `month=${month}&limit=1&environment=live`);
  assert.equal(ofKey.headers.get('link'), `<${expected.replace('environment=sandbox&', '')}>; rel="next"`);
});

const refusedQueries: [query: string, path: string][] = [
  ['', 'month'],
  ['month=', 'month'],
  ['month=2026', 'month'],
  ['month=2026-00', 'month'],
  ['month=2026-13', 'month'],
  ['month=2026-1', 'month'],
  ['month=2026-11-01', 'month'],
  ['month=1999-12', 'month'],
  ['month=2099-12', 'month'],
  ['month=２０２６-11', 'month'],
  ['month=2026-11&month=2026-10', 'month'],
  ['month=2026-11&format=pdf', 'format'],
  ['month=2026-11&limit=0', 'limit'],
  ['month=2026-11&limit=201', 'limit'],
  ['month=2026-11&cursor=x', 'cursor'],
  ['month=2026-11&cursor=0', 'cursor'],
  ['month=2026-11&cursor=999999999', 'cursor'],
  ['month=2026-11&year=2026', 'year'],
];

for (const [query, path] of refusedQueries) {
  test(`"?${query}" is refused with 422, and ${path} is named`, async () => {
    const answer = await statementOf(await newPartner(), query);
    assert.deepEqual([answer.status, answer.code], [422, 'invalid_request'], answer.text);
    assert.deepEqual(
      listAt(answer.json, 'error.details.fields').map((field) => valueAt(field, 'path')),
      [path],
    );
  });
}

test("another partner's movements, and the other environment's, are on no statement of one's own", async () => {
  const [one, two] = [await newPartner(), await newPartner()];
  await createPayout(one, payoutBody({ reference: 'Of the one' }));
  await createPayout(two, payoutBody({ reference: 'Of the two' }));
  const { text } = await statementOf(one);
  assert(text.includes('Of the one') && !text.includes('Of the two'));
  const file = await statementOf(one, `month=${month}&format=csv`);
  assert(file.text.includes('Of the one') && !file.text.includes('Of the two'));
  // Numbers of movements are every wallet's own, so another's cursor leads nowhere else.
  const { json } = await statementOf(one, `month=${month}&cursor=2`);
  assert.equal(valueAt(json, 'movements.0.reference'), 'Of the one');
});

test('a try of which nothing became is on the statement with its reference, and without the id of a payout', async () => {
  const partner = await newPartner();
  for (const state of ['sending', 'not_created'] as const) {
    const { id } = await plantPayout(database, partner, state);
    await asAdmin(database.superuserUrl, async (client) =>
      client.query(
        `set session_replication_role = replica; update kelpie.payouts set reference = '${state}' where id = '${id}'`,
      ),
    );
    await book(pool, partner, [
      { at: new Date(), change: -5_000n, reason: 'payout.hold', causeId: id },
      { at: new Date(), change: 5_000n, reason: 'payout.not_created', causeId: id },
    ]);
  }
  const { json } = await statementOf(partner);
  const reported = listAt(json, 'movements').map((movement) =>
    ['kind', 'payout_id', 'reference'].map((field) => valueAt(movement, field)),
  );
  assert.deepEqual(reported.slice(1), [
    ['hold', null, 'sending'],
    ['release', null, 'sending'],
    ['hold', null, 'not_created'],
    ['release', null, 'not_created'],
  ]);
});

test('a statement that does not add up is not told, in either form: it is our error, and the log says so', async () => {
  const partner = await newPartner();
  await createPayout(partner);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `set session_replication_role = replica;
       update kelpie.ledger_entries set amount = amount + 1 where account = 'wallet' and wallet_version = 2
         and partner_id = '${partner.partnerId}'`,
    ),
  );
  for (const format of ['json', 'csv']) {
    const answer = await statementOf(partner, `month=${month}&format=${format}`);
    assert.deepEqual([answer.status, answer.code], [500, 'internal_error']);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    const requestId = answer.headers.get('request-id') ?? '';
    const line = await eventually('the log says so', async () =>
      api
        .output()
        .split('\n')
        .find((said) => said.includes(requestId) && said.includes('request.failed')),
    );
    assert.match(line, /a statement does not add up: movements 1 to 3 do not lead from opening to closing/);
  }
});

test('a file of 25,000 movements comes whole, in pieces, and adds up', async () => {
  const partner = await newPartner();
  const at = new Date('2026-02-10T12:00:00Z').getTime();
  const [partnerEnvironment] = await createPartners(database, 1);
  assert(partnerEnvironment !== undefined);
  for (let batch = 0; batch < 5; batch += 1) {
    const bookings = Array.from({ length: 5_000 }, (_, nth) => ({
      at: new Date(at + batch * 5_000 + nth),
      change: 1_000_001n,
    }));
    await book(pool, partnerEnvironment, bookings);
  }
  const client = { ...partner, ...(await addKey(database, partnerEnvironment)) };
  const file = await fileOf(client, '2026-02');
  assert.equal(file.length, 25_002);
  let balance = 0n;
  for (const { amount = '', balance: reported = '' } of file.slice(1, -1)) {
    balance += micro(amount);
    assert.equal(micro(reported), balance);
  }
  assert.equal(file.at(-1)?.['balance'], '25000.025000');
});

test('a third file at once is refused until one of the two is read, for that partner alone', async () => {
  const at = new Date('2026-02-10T12:00:00Z').getTime();
  const [partnerEnvironment, other] = await createPartners(database, 2);
  assert(partnerEnvironment !== undefined && other !== undefined);
  const count = 5_000;
  for (let batch = 0; batch < 4; batch += 1)
    await book(
      pool,
      partnerEnvironment,
      Array.from({ length: count }, (_, nth) => ({ at: new Date(at + batch * count + nth), change: 1n })),
    );
  const { key } = await addKey(database, partnerEnvironment);
  const path = '/v1/statement?month=2026-02&format=csv';
  const headers = { authorization: `Bearer ${key}` };
  const two = await Promise.all([1, 2].map(async () => fetch(api.url + path, { headers })));
  const third = await call({ url: api.url, key }, path);
  assert.deepEqual([third.status, third.code, third.headers.get('retry-after')], [429, 'rate_limited', '5']);
  const { key: otherKey } = await addKey(database, other);
  assert.equal((await call({ url: api.url, key: otherKey }, path)).status, 200);
  // One is read to its end, and one that is broken off is over as well.
  const [read, broken] = two;
  assert.equal((await read?.text())?.split('\r\n').length, 4 * count + 4);
  await broken?.body?.cancel();
  await eventually('there is room again', async () => {
    const answers = await Promise.all([1, 2].map(async () => call({ url: api.url, key }, path)));
    return answers.every(({ status }) => status === 200);
  });
});
