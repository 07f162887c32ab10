import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { bankOf, call, createPayout, getPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { addKey, createSimulatedPartner } from '../harness/partners.ts';
import { startApi, startWorker } from '../harness/processes.ts';

const database = await createTestDatabase();
const clock = createTestClock();
const env = { KELPIE_TEST_CLOCK_FILE: clock.file };
const [api] = await Promise.all([startApi({ database, env }), startWorker({ database, env })]);

let movedMs = 0;

function moveClock(byMs: number): void {
  movedMs += byMs;
  clock.move(byMs);
}

async function newPartner() {
  const partner = await createSimulatedPartner(database);
  return { ...partner, url: api.url };
}

async function change(sql: string, values: unknown[]): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) => client.query(sql, values));
}

function dataOf({ json }: ApiAnswer): unknown[] {
  return listAt(json, 'data');
}

test('the account says what the key drives, and its prices as people read them', async () => {
  const partner = await newPartner();
  const { status, json } = await call(partner, '/v1/account');
  assert.equal(status, 200);
  assert.deepEqual(json, {
    object: 'account',
    id: partner.partnerId,
    name: 'Partner',
    status: 'active',
    closed_at: null,
    environment: 'sandbox',
    is_frozen: false,
    funding_wallet: { currency: 'USDC', chain: 'base', address: null },
    enabled_countries: ['GB'],
    payout_limits_gbp: { min: '1.00', max_per_payout: '20000.00' },
    prices: {
      payout: '0.99 GBP + 1.00%',
      monthly_account: '15.00 GBP',
      business_verification: '39.00 GBP',
      network_fees: 'cost + 10.00%',
      bank_exceptions: 'cost + 20.00%',
    },
    rail: 'simulated',
    logo_url: null,
    brand_color: null,
    wallet_low_usdc: null,
  });
});

test('a partner that is suspended still reads its account and its history, and no balance or payout', async () => {
  const partner = await newPartner();
  const { id } = await createPayout(partner);
  await change(`update kelpie.partners set status = 'suspended' where id = $1`, [partner.partnerId]);
  assert.equal(textAt((await call(partner, '/v1/account')).json, 'status'), 'suspended');
  assert.equal((await getPayout(partner, id)).status, 200);
  // What is remembered of a partner is forgotten within seconds.
  await eventually('it is noticed', async () => (await call(partner, '/v1/balance')).code === 'partner_not_active');
  assert.equal((await createPayout(partner)).code, 'partner_not_active');
});

test('compliance has the limits of the rail, and where the verification stands', async () => {
  const partner = await newPartner();
  await change(
    `update kelpie.partners set verification_status = 'action_required', verification_provider_status = 'incomplete',
       verification_continue_url = 'https://bank.test/go-on', billing_email = 'money@partner.test' where id = $1`,
    [partner.partnerId],
  );
  const { json } = await call(partner, '/v1/compliance');
  assert.deepEqual(json, {
    object: 'compliance',
    business_verification: {
      status: 'action_required',
      provider_status: 'incomplete',
      continue_url: 'https://bank.test/go-on',
      terms_url: null,
    },
    account: {
      isolated_wallet: true,
      wallet_chain: null,
      enabled_countries: ['GB'],
      payout_limits_gbp: { min: '1.00', max_per_payout: '20000.00' },
      billing_email: 'money@partner.test',
      contact_email: null,
      billing_email_confirmed: false,
      contact_email_confirmed: false,
    },
    screening: 'not_screened',
  });
});

test('anybody sees a partner by its short name, without a key; one that is closed is not there', async () => {
  const partner = await newPartner();
  const slug = `p-${partner.partnerId.slice(-12)}`;
  await change(
    `update kelpie.partners set logo_url = 'https://cdn.test/l.svg', brand_color = '#0a7d6c' where id = $1`,
    [partner.partnerId],
  );
  const path = `/v1/public/partners/${slug}`;
  const seen = await fetch(api.url + path);
  assert.deepEqual(await seen.json(), {
    slug,
    name: 'Partner',
    logo_url: 'https://cdn.test/l.svg',
    brand_color: '#0a7d6c',
  });
  await change(`update kelpie.partners set status = 'closed', closed_at = now() where id = $1`, [partner.partnerId]);
  assert.equal((await fetch(api.url + path)).status, 404);
  for (const wrong of ['UPPER', 'x', 'a'.repeat(41), 'with%20space', '%00'])
    assert.equal((await fetch(`${api.url}/v1/public/partners/${wrong}`)).status, 404, wrong);
});

/** A key of the live environment, which the partner gets with it. */
async function addLiveEnvironmentKey({ partnerId }: { partnerId: string }) {
  await change(
    `insert into kelpie.partner_environments (partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id)
     values ($1, 'live', now(), 'provider_production', 'none', 'none')`,
    [partnerId],
  );
  return addKey(database, { partnerId, environment: 'live' });
}

test('keys are listed without their secrets: both environments, those that work and those revoked within a year', async () => {
  const partner = await newPartner();
  const [old, lately] = [await addKey(database, partner), await addKey(database, partner)];
  await change(`update kelpie.api_keys set revoked_at = now() - interval '370 days' where id = $1`, [old.keyId]);
  await change(`update kelpie.api_keys set revoked_at = now() - interval '100 days' where id = $1`, [lately.keyId]);
  const live = await addLiveEnvironmentKey(partner);
  const { text, ...answer } = await call(partner, '/v1/keys');
  const keys = dataOf({ text, ...answer });
  assert.deepEqual(
    keys.map((key) => textAt(key, 'id')),
    [live.keyId, lately.keyId, partner.keyId],
  );
  assert.equal(textAt(keys[0], 'environment'), 'live');
  assert.equal(textAt(keys[2], 'key_prefix'), partner.key.slice(0, 'kp_sandbox_'.length + 8));
  assert.doesNotMatch(text, /kp_(sandbox|live)_[a-f0-9]{48}/);
});

test('a key says when it was last used, to the minute', async () => {
  const partner = await newPartner();
  const lastUsed = async () => valueAt(dataOf(await call(partner, '/v1/keys'))[0], 'last_used_at');
  // A read writes nothing: what used the key is written a moment later.
  const first = await eventually('it is marked', async () => (await lastUsed()) ?? undefined);
  assert.equal(await lastUsed(), first);
  moveClock(61_000);
  await eventually('it is marked again', async () => (await lastUsed()) !== first);
});

test('recipients are summed by account and name: completed payouts count, the last paid comes first', async () => {
  const partner = await newPartner();
  const pay = async (amount: string, account: string, first = 'Ada') =>
    createPayout(partner, payoutBody({ amount_gbp: amount }, { ...bankOf(account), first_name: first }));
  await pay('10.00', '11110001');
  await pay('5.50', '11110001');
  await pay('7.00', '11110001', 'Bea');
  await pay('3.00', '22220000');
  moveClock(60_000);
  await eventually('all are at an end', async () => {
    const payouts = dataOf(await call(partner, '/v1/payouts'));
    return payouts.every((payout) => ['completed', 'failed'].includes(textAt(payout, 'status')));
  });
  const recipients = dataOf(await call(partner, '/v1/recipients')).map((recipient) =>
    ['name', 'account_last4', 'payouts', 'paid_gbp'].map((field) => valueAt(recipient, field)),
  );
  assert.deepEqual(
    recipients.toSorted((one, other) => String(one).localeCompare(String(other))),
    [
      ['Ada Canaryname', '0000', 0, '0.00'],
      ['Ada Canaryname', '0001', 2, '15.50'],
      ['Bea Canaryname', '0001', 1, '7.00'],
    ],
  );
});

test('usage counts what was made and what arrived this month in London, and sandbox owes nothing', async () => {
  const partner = await newPartner();
  const usage = async () => (await call(partner, '/v1/usage')).json;
  assert.equal(valueAt(await usage(), 'payouts.count'), 0);
  await createPayout(partner, payoutBody({ amount_gbp: '12.34' }));
  await createPayout(partner, payoutBody({ amount_gbp: '5.00' }, bankOf('22220000')));
  moveClock(60_000);
  await eventually('one has arrived', async () => valueAt(await usage(), 'payouts.completed') === 1);
  const month = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London', year: 'numeric', month: '2-digit' });
  assert.deepEqual(await usage(), {
    object: 'usage',
    period_start: `${month.format(new Date(Date.now() + movedMs))}-01`,
    payouts: { count: 2, completed: 1, paid_to_sellers_gbp: '12.34', fees_gbp: '1.11' },
    invoice_so_far: { lines: [], total_gbp: '0.00', carried_over_gbp: '0.00' },
  });
  assert.deepEqual((await call(partner, '/v1/invoices')).json, { object: 'list', data: [] });
});

interface Entry {
  action: string;
  status: number | null;
  by: string;
  detail: string | null;
}

async function activityOf(partner: { url: string; key: string }): Promise<Entry[]> {
  return dataOf(await call(partner, '/v1/activity')).map((entry) => {
    const status = valueAt(entry, 'status');
    const detail = valueAt(entry, 'detail');
    return {
      action: textAt(entry, 'action'),
      status: typeof status === 'number' ? status : null,
      by: textAt(entry, 'by'),
      detail: typeof detail === 'string' ? detail : null,
    };
  });
}

test('activity lists what was asked and answered, reads and failures included, each once', async () => {
  const partner = await newPartner();
  const by = partner.key.slice(0, 'kp_sandbox_'.length + 8);
  const key = randomUUID();
  const made = await createPayout(partner, payoutBody(), key);
  await createPayout(partner, payoutBody(), key);
  await createPayout(partner, payoutBody({ amount_gbp: '9999.00' }));
  await getPayout(partner, made.id);
  await getPayout(partner, randomUUID());
  await call(partner, '/v1/balance');
  await call({ ...partner, key: 'kp_sandbox_none' }, '/v1/balance');
  assert.deepEqual(await activityOf(partner), [
    { action: 'balance.get', status: 200, by, detail: null },
    { action: 'payout.get', status: 404, by, detail: 'not_found' },
    { action: 'payout.get', status: 200, by, detail: made.id },
    { action: 'payout.create', status: 402, by, detail: 'insufficient_funds' },
    { action: 'payout.create', status: 200, by, detail: made.id },
    { action: 'payout.create', status: 201, by, detail: made.id },
  ]);
});

test('every entry of the activity can be found by the Request-Id of its answer', async () => {
  const partner = await newPartner();
  const made = await createPayout(partner);
  const read = await getPayout(partner, made.id);
  const ids = dataOf(await call(partner, '/v1/activity')).map((entry) => textAt(entry, 'request_id'));
  assert.deepEqual(ids, [read.headers.get('request-id'), made.headers.get('request-id')]);
});

test('activity shows the latest 200 of a thousand requests, and of no other partner', async () => {
  const [partner, other] = [await newPartner(), await newPartner()];
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (let times = 0; times < 100; times += 1) await call(partner, `/v1/payouts/${randomUUID()}`);
    }),
  );
  await call(partner, '/v1/account');
  const entries = await activityOf(partner);
  assert.equal(entries.length, 200);
  assert.deepEqual(new Set(entries.map(({ action }) => action)), new Set(['account.get', 'payout.get']));
  assert.deepEqual(await activityOf(other), []);
});

test('what was asked of a process that is stopped is written down before it ends', async () => {
  const partner = await createSimulatedPartner(database);
  const leaving = await startApi({ database });
  await call({ ...partner, url: leaving.url }, '/v1/account');
  await leaving.stop();
  assert.deepEqual(
    (await activityOf({ ...partner, url: api.url })).map(({ action }) => action),
    ['account.get'],
  );
});

test('a month is that of London: what was made or arrived a moment before its midnight is not in it', async () => {
  const partner = await newPartner();
  // In June London is an hour ahead of UTC: its July begins at 23:00.
  const month = new Date('2027-06-30T23:00:00.000Z');
  const at = (ms: number): Date => new Date(month.getTime() + ms);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query(`select kelpie.make_month_partition('payouts', $1)`, [month]);
    await client.query(`select kelpie.make_month_partition('payouts', $1)`, [at(24 * 3_600_000)]);
    await client.query('set session_replication_role = replica');
    const plant = async (createdAt: Date, completedAt: Date) =>
      client.query(
        `insert into kelpie.payouts
         select (jsonb_populate_record(p, jsonb_build_object('id', $2::uuid, 'state', 'completed', 'completed_at', $3::timestamptz,
           'partner_id', $1::uuid, 'bank_payment_id', 'x', 'bank_debited_micro_usdc', 1, 'order_id', gen_random_uuid()))).*
         from kelpie.payouts p limit 1`,
        [partner.partnerId, newId({ now: () => createdAt }), completedAt],
      );
    await plant(at(-1_000), at(-1));
    await plant(at(-1), at(0));
    await plant(at(0), at(60_000));
  });
  const { rows } = await asAdmin(database.serviceUrl, async (client) =>
    client.query(
      `select period_start::text, created::int, completed::int from kelpie.read_usage($1, 'sandbox', $2, '35 days')`,
      [partner.partnerId, at(3_600_000)],
    ),
  );
  assert.deepEqual(rows, [{ period_start: '2027-07-01', created: 1, completed: 2 }]);
});
