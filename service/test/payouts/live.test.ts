import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { bankOf, call, createPayout, getPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// Real money, as far as a stand-in for the live bank can show it: fees are earned, and dropped again.

const world = await startWorld({ environment: 'live' });
const client = { url: world.api.url, key: world.partner.key };

async function becomes({ id }: ApiAnswer, status: string): Promise<ApiAnswer> {
  return eventually(`${id} is ${status}`, async () => {
    const now = await getPayout(client, id);
    return now.payout === status && now;
  });
}

async function booksOf({ id }: ApiAnswer): Promise<Record<string, string>> {
  return asAdmin(world.database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ account: string; sum: string }>(
      'select account::text, sum(amount) from kelpie.ledger_entries where cause_id = $1 group by account having sum(amount) <> 0',
      [id],
    );
    return Object.fromEntries(rows.map(({ account, sum }) => [account, sum]));
  });
}

async function paymentOf({ id }: ApiAnswer): Promise<string> {
  return asAdmin(world.database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ payment: string }>(
      'select bank_payment_id as payment from kelpie.payouts where id = $1',
      [id],
    );
    assert(rows[0] !== undefined);
    return rows[0].payment;
  });
}

test('a completed live payout earns the part of its fee that goes on the invoice', async () => {
  const made = await createPayout(client, payoutBody({ amount_gbp: '100.00' }));
  await becomes(made, 'completed');
  // 1.99 in all, of which 1.00 went inside the transfer.
  assert.deepEqual(await booksOf(made), {
    bank_wallet: '-127850000',
    wallet: '127850000',
    receivable: '99',
    revenue: '-99',
    // 0.02 USDC of network fee, and a tenth of that.
    accrued: '17380',
    accrued_revenue: '-17380',
  });
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('faults 28: a return after completion is credited once with what came back, and the fee is dropped', async () => {
  const made = await createPayout(client, payoutBody({ amount_gbp: '100.00' }));
  await becomes(made, 'completed');
  const payment = await paymentOf(made);
  await world.bank.control(`/transfers/${payment}/return`, {
    reason: 'account_closed',
    refund_micro_usdc: 127_000_000,
  });
  await world.bank.control('/webhooks/redeliver', { all: true });
  const returned = await becomes(made, 'returned');
  assert.equal(valueAt(returned.json, 'failure_code'), 'account_closed');
  await world.bank.control('/webhooks/redeliver', { all: true });
  await untilQuiet(world.database);
  assert.deepEqual(await booksOf(made), {
    bank_wallet: '-850000',
    wallet: '850000',
    accrued: '17380',
    accrued_revenue: '-17380',
    // What the bank bills for a return, and a fifth of that.
    receivable: '47',
    // What is missing of the bank's share.
    credit_due: '-67',
    revenue: '20',
  });
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('a return after completion whose webhook was lost is found in the list of the bank', async () => {
  const made = await createPayout(client, payoutBody({ amount_gbp: '50.00' }));
  await becomes(made, 'completed');
  await world.bank.control('/webhooks', { mode: 'lose' });
  await world.bank.control(`/transfers/${await paymentOf(made)}/return`, { reason: 'recalled' });
  await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query(`insert into pgboss.job (name, data) values ('late-returns', '{}')`),
  );
  const returned = await becomes(made, 'returned');
  assert.equal(valueAt(returned.json, 'failure_code'), 'recalled');
  await world.bank.control('/webhooks', { mode: 'normal' });
  await untilQuiet(world.database);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('an account that ends in 0000 is as good as any other in live', async () => {
  const made = await createPayout(client, payoutBody({ amount_gbp: '3.00' }, bankOf('12340000')));
  assert.equal(made.payout, 'processing', made.text);
  await becomes(made, 'completed');
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('a bank that takes more than one part in a hundred too much stops the payments of that partner', async () => {
  await world.bank.control('/faults', {
    on: 'transfer.create',
    kind: 'take_different',
    micro_usdc: 1_500_000,
    times: 1,
  });
  const made = await createPayout(client, payoutBody({ amount_gbp: '10.00' }));
  assert.equal(made.status, 201, made.text);
  const refused = await createPayout(client, payoutBody({ amount_gbp: '10.00' }));
  assert.deepEqual([refused.status, refused.code], [403, 'partner_not_active']);
  await becomes(made, 'completed');
  assert.equal((await call(client, '/v1/balance')).status, 200);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});
