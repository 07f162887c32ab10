import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, createPayout, getPayout, payoutBody, type Client } from '../harness/client.ts';
import { runCommand } from '../harness/command.ts';
import { createTestClock, passTime } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { addKey, createPartners } from '../harness/partners.ts';
import { testSecrets } from '../harness/secrets.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';
import { isUuid } from '../../src/platform/ids.ts';
import { monthAfter, monthEnd, monthOf } from '../../src/platform/london-month.ts';

// From a payout that a partner makes to the line that it is on, through the API alone; the months go by on our clock and the bank's.

const clock = createTestClock();
const world = await startWorld({ environment: 'live', env: { KELPIE_TEST_CLOCK_FILE: clock.file } });
const client: Client = { url: world.api.url, key: world.partner.key };
const day = 24 * 60 * 60_000;

// The months are closed by hand here: at five past, by the clock on the wall, the worker would do it first.
await asAdmin(world.database.superuserUrl, async (admin) =>
  admin.query(`delete from pgboss.schedule where name = 'issue-invoices'`),
);

/** A reference that a spreadsheet would take for a formula. */
const formula = '=HYPERLINK("http://evil.test","x")';

async function pay(amount: string, reference = 'Order 42'): Promise<string> {
  const made = await createPayout(client, payoutBody({ amount_gbp: amount, reference }));
  assert.equal(made.status, 201, made.text);
  await eventually('it has arrived', async () => (await getPayout(client, made.id)).payout === 'completed');
  return made.id;
}

async function giveBack(id: string): Promise<void> {
  const { rows } = await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query<{ payment: string }>('select bank_payment_id as payment from kelpie.payouts where id = $1', [id]),
  );
  await world.bank.control(`/transfers/${rows[0]?.payment}/return`, { reason: 'account_closed' });
  await eventually('it has come back', async () => (await getPayout(client, id)).payout === 'returned');
}

async function runMonth(period: string): Promise<string> {
  const { code, output } = await runCommand({
    args: ['invoices', 'run', '--period', period],
    env: {
      KELPIE_MODE: 'development',
      KELPIE_DATABASE_URL: world.database.serviceUrl,
      KELPIE_OPERATOR_DATABASE_URL: world.database.operatorUrl,
      ...testSecrets,
      KELPIE_TEST_CLOCK_FILE: clock.file,
    },
  });
  assert.equal(code, 0, output);
  return output;
}

function list(json: unknown, path = 'data'): unknown[] {
  const value = valueAt(json, path);
  assert(Array.isArray(value));
  return value;
}

function amounts(json: unknown, path: string): Record<string, string> {
  return Object.fromEntries(list(json, path).map((line) => [textAt(line, 'kind'), textAt(line, 'amount_gbp')]));
}

const now = new Date();
const period = monthOf(now);
const second = monthAfter(period);
const kept = await pay('100.00', formula);
const returned = await pay('250.00');
let invoiceId = '';

test('usage shows what would be on the invoice if the month ended now', async () => {
  await giveBack(returned);
  const { json } = await call(client, '/v1/usage');
  assert.deepEqual(amounts(json, 'invoice_so_far.lines'), {
    // 1.99 less the bank's 1.00; what the other one would have cost was taken back.
    payout_fees: '0.99',
    // Twice 0.02 USDC at 0.79, and a tenth: 3.476 pence.
    network_fees: '0.03',
    // 0.50 USDC at 0.79, and a fifth.
    bank_exceptions: '0.47',
  });
  assert.equal(textAt(json, 'invoice_so_far.total_gbp'), '1.49');
});

test('there is no invoice before the month is over, and then there is one', async () => {
  assert.deepEqual(list((await call(client, '/v1/invoices')).json), []);
  // An hour into the next month, on whatever day this runs.
  await passTime({ clock, bank: world.bank }, monthEnd(period).getTime() - now.getTime() + day / 24);
  assert.match(await runMonth(period), /1 invoice issued, KP-000001, total 16\.49 GBP/);
  const [invoice] = list((await call(client, '/v1/invoices')).json);
  invoiceId = textAt(invoice, 'id');
  assert.equal(textAt(invoice, 'period'), period);
  assert.equal(textAt(invoice, 'status'), 'issued');
  assert.equal(textAt(invoice, 'total_gbp'), '16.49');
  assert.deepEqual(amounts(invoice, 'lines'), {
    payout_fees: '0.99',
    network_fees: '0.03',
    bank_exceptions: '0.47',
    monthly_account: '15.00',
  });
  const due = Date.parse(textAt(invoice, 'due_at')) - Date.parse(textAt(invoice, 'issued_at'));
  assert.equal(due, 14 * day);
  const alone = await call(client, `/v1/invoices/${invoiceId}`);
  assert.deepEqual(alone.json, invoice);
  assert.equal(valueAt(alone.json, 'object'), 'invoice');
});

test('every line opens to the payouts behind it, a page at a time, and they sum to it', async () => {
  const pages: unknown[] = [];
  let address = `/v1/invoices/${invoiceId}/items?limit=1&kind=payout_fees`;
  for (let page = 0; page < 10 && address !== ''; page += 1) {
    const { json, headers } = await call(client, address);
    pages.push(...list(json));
    const [, next = ''] = /^<http:\/\/api\.kelpie\.test([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
    address = next;
  }
  assert.deepEqual(
    pages.map((item) => [textAt(item, 'payout_id'), textAt(item, 'effect'), textAt(item, 'amount_gbp')]),
    [
      [kept, 'charge', '0.99'],
      [returned, 'charge', '1.74'],
      [returned, 'taken_back', '1.74'],
    ],
  );
  const { json } = await call(client, `/v1/invoices/${invoiceId}/items?kind=network_fees`);
  assert.deepEqual(
    list(json).map((item) => [textAt(item, 'amount_gbp'), valueAt(item, 'amount_micro_gbp')]),
    [
      ['0.02', 17_380],
      ['0.02', 17_380],
    ],
  );
});

async function idsOf(query: string): Promise<string[]> {
  const { json } = await call(client, `/v1/invoices/${invoiceId}/items?${query}`);
  return list(json).map((item) => textAt(item, 'id'));
}

test('an item has an id of its own, the same however it is listed', async () => {
  const all = await idsOf('limit=200');
  assert(all.length === 7 && new Set(all).size === 7 && all.every(isUuid), all.join(' '));
  assert.deepEqual(await idsOf('limit=200'), all);
  const [fees, first] = [await idsOf('kind=payout_fees'), await idsOf('limit=1')];
  assert(fees.length === 3 && [...fees, ...first].every((id) => all.includes(id)));
});

test('faults 55: the same as a table, in which nothing is a formula', async () => {
  for (const asked of [
    { address: `/v1/invoices/${invoiceId}/items?format=csv`, headers: {} },
    { address: `/v1/invoices/${invoiceId}/items`, headers: { accept: 'text/csv' } },
  ]) {
    const response = await fetch(client.url + asked.address, {
      headers: { authorization: `Bearer ${client.key}`, ...asked.headers },
    });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
    const [header, ...rows] = (await response.text()).trimEnd().split('\r\n');
    assert.equal(header, 'id,at,kind,effect,payout_id,reference,payout_amount_gbp,amount_gbp,amount_micro_gbp');
    assert.equal(rows.length, 7);
    assert(
      rows.some((row) => row.includes(`"'=HYPERLINK(""http://evil.test"",""x"")",100.00,0.99,990000`)),
      rows.join('\n'),
    );
    assert(!rows.some((row) => row.split(',').some((cell) => /^[=+@-]/.test(cell))));
  }
});

test('another partner sees none of it, and an id that is none is not found', async () => {
  const [partnerEnvironment] = await createPartners(world.database, 1);
  assert(partnerEnvironment !== undefined);
  const stranger: Client = { url: client.url, key: (await addKey(world.database, partnerEnvironment)).key };
  assert.deepEqual(list((await call(stranger, '/v1/invoices')).json), []);
  for (const path of [`/v1/invoices/${invoiceId}`, `/v1/invoices/${invoiceId}/items`, '/v1/invoices/none'])
    assert.equal((await call(stranger, path)).status, 404, path);
  for (const query of ['limit=0', 'kind=none', 'cursor=x', 'more=1', 'format=xml'])
    assert.equal((await call(client, `/v1/invoices/${invoiceId}/items?${query}`)).code, 'invalid_request', query);
});

test('a return after the invoice becomes a credit on the next, and one that is not paid is overdue', async () => {
  await giveBack(kept);
  const { json } = await call(client, '/v1/usage');
  assert.deepEqual(amounts(json, 'invoice_so_far.lines'), {
    bank_exceptions: '0.47',
    monthly_account: '15.00',
    credit: '0.99',
  });
  await passTime({ clock, bank: world.bank }, monthEnd(second).getTime() - monthEnd(period).getTime());
  await runMonth(second);
  const [next, first] = list((await call(client, '/v1/invoices')).json);
  assert.equal(textAt(next, 'total_gbp'), '14.48');
  assert.equal(textAt(first, 'status'), 'overdue');
  const items = await call(client, `/v1/invoices/${textAt(next, 'id')}/items?kind=credit`);
  assert.deepEqual(
    list(items.json).map((item) => [textAt(item, 'payout_id'), textAt(item, 'effect'), textAt(item, 'amount_gbp')]),
    [[kept, 'credit', '0.99']],
  );
});

test('sandbox is never charged: its invoice stays empty beside a live one that is not', async () => {
  const { partnerId } = world.partner;
  await asAdmin(world.database.superuserUrl, async (admin) => {
    await admin.query(
      `insert into kelpie.partner_environments (partner_id, environment, created_at) values ($1, 'sandbox', now())`,
      [partnerId],
    );
    await admin.query(`insert into kelpie.wallets (partner_id, environment) values ($1, 'sandbox')`, [partnerId]);
  });
  const live = await call(client, '/v1/usage');
  assert.deepEqual(amounts(live.json, 'invoice_so_far.lines'), { monthly_account: '15.00' });
  const { key } = await addKey(world.database, { partnerId, environment: 'sandbox' });
  const { json } = await call({ url: client.url, key }, '/v1/usage');
  assert.deepEqual(valueAt(json, 'invoice_so_far'), {
    lines: [],
    total_gbp: '0.00',
    carried_over_gbp: '0.00',
  });
});

test('all of that keeps the books, at the bank and here', async () => {
  await untilQuiet(world.database);
  await assertAllHolds({ ...world });
});
