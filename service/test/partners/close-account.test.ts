import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { readOutstanding, runInvoices } from '../../src/billing/index.ts';
import { ledgerEvents, postTransfers } from '../../src/ledger/index.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import { inTransaction, type PartnerContext } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { monthAfter, monthEnd, monthOf, type Month } from '../../src/platform/london-month.ts';
import { asSecondPerson, kelpieAdmin } from '../app/commands/kelpie-admin.ts';
import { plantBalanceCase } from '../app/commands/planted-case.ts';
import { createBilledPartners, listIssued } from '../billing/billed-partners.ts';
import { openOperators } from '../billing/collecting-operators.ts';
import { seedDeposit } from '../database/seed-every-table.ts';
import { call, createPayout, payoutBody } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
import { addKey, depositToEach } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import { startApi } from '../harness/processes.ts';
import { findBillingDifferences } from '../simulate/billing.ts';

// Accounts that end: by two operators, with nothing left in them.

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 4, applicationName: 'test', logger });
const readers = openPool({ url: database.readerUrl, connections: 1, applicationName: 'test', logger });
const calls = createSingleCalls(pool, noFailpoint);
const jobs = { enqueue: async () => 'none' };
const started = new Date();
const period = monthOf(started);
const next = monthAfter(period);
let now = started;
const clock = { now: () => now };
const operators = openOperators({ database, clock, jobs });
after(async () => {
  await operators.end();
  await readers.end();
  await pool.end();
});

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<Row>(text, values)).rows);
}

async function newPartner(): Promise<PartnerContext> {
  const [partner] = await createBilledPartners(database, 1, started);
  assert(partner !== undefined);
  return partner;
}

async function run(upto: Month): Promise<void> {
  now = monthEnd(upto);
  const report = await runInvoices({ pool, calls, clock, logger, failpoint: noFailpoint, jobs }, { upto });
  assert.equal(report.failed, 0);
}

async function credit(partner: PartnerContext, amount: bigint): Promise<void> {
  const id = newId(clock);
  const lines = ledgerEvents.providerFeeCredited(amount);
  await inTransaction(pool, partner, async (tx) =>
    postTransfers(tx, [{ id, ...partner, reason: 'payout.returned', causeId: id, lines }]),
  );
}

async function lease({ partnerId, environment }: PartnerContext): Promise<void> {
  await query(
    `insert into kelpie.payout_leases (payout_id, partner_id, environment, due_at, leased_until)
     values ($1, $2, $3, now() + interval '1 day', now())`,
    [randomUUID(), partnerId, environment],
  );
}

async function post(
  partner: PartnerContext,
  reason: string,
  lines: Parameters<typeof postTransfers>[1][number]['lines'],
) {
  const id = newId(clock);
  await inTransaction(pool, partner, async (tx) => postTransfers(tx, [{ id, ...partner, reason, causeId: id, lines }]));
}

const obstacles: readonly [obstacle: string, plant: (partner: PartnerContext) => Promise<unknown>][] = [
  ['payouts_open', lease],
  ['cases_open', async (partner) => plantBalanceCase(database, partner)],
  ['wallet_not_empty', async (partner) => depositToEach(database, [partner], 1n)],
  ['suspense', async (partner) => post(partner, 'correction', ledgerEvents.bankDifferenceFound(5n))],
  [
    'deposit_pending',
    async (partner) => asAdmin(database.superuserUrl, async (client) => seedDeposit(client, partner)),
  ],
  [
    'debt',
    async ({ partnerId }) =>
      asAdmin(database.superuserUrl, async (client) => {
        // Past the rule that a deposit begins as one that was received.
        await client.query('set session_replication_role = replica');
        await client.query(
          `insert into kelpie.deposits (
             id, partner_id, environment, method, bank_deposit_id, state, revision, bank_state, net_micro_usdc,
             reversed_micro_usdc, owed_micro_usdc, credited_at, updated_at
           ) values (gen_random_uuid(), $1, 'live', 'usdc', 'taken-back', 'reversed', 1, 'x', 9, 9, 9, now(), now())`,
          [partnerId],
        );
      }),
  ],
  ['invoices_unpaid', async () => run(period)],
];

for (const [obstacle, plant] of obstacles)
  test(`an account stays open because of ${obstacle.replaceAll('_', ' ')}`, async () => {
    const partner = await newPartner();
    await plant(partner);
    assert.equal(await operators.closePartner(partner.partnerId), obstacle);
    const slug = `p-${partner.partnerId.slice(-12)}`;
    const refused = await kelpieAdmin(database, ['partners', 'close', slug, '--reason', 'a test', '--json']);
    assert.deepEqual([refused.code, textAt(refused.json(), 'error.code')], [2, obstacle], refused.said);
    // It is not about what this test leaves behind.
    await query(
      `update kelpie.partner_environments set created_at = now() + interval '5 years' where partner_id = $1`,
      [partner.partnerId],
    );
  });

test('a payout that takes the last money while its account is closed is waited for, and keeps it open', async () => {
  const partner = await newPartner();
  await depositToEach(database, [partner], 100n);
  let closing: Promise<string> | undefined;
  await inTransaction(pool, partner, async (tx) => {
    const id = newId(clock);
    const lines = ledgerEvents.hold({ principal: 100n, providerFee: 0n });
    await postTransfers(tx, [{ id, ...partner, reason: 'payout.hold', causeId: id, lines }]);
    closing = operators.closePartner(partner.partnerId);
    await eventually('the closing waits for the wallet', async () => {
      const rows = await query(`select from pg_locks where not granted and locktype = 'transactionid'`);
      return rows.length > 0;
    });
    await tx.query(
      `insert into kelpie.payout_leases (payout_id, partner_id, environment, due_at, leased_until)
       values ($1, $2, 'live', now(), now())`,
      [id, partner.partnerId],
    );
  });
  assert.equal(await closing, 'payouts_open');
});

/** The months that a partner was charged an account for. */
async function accountsOf({ partnerId }: PartnerContext): Promise<string[]> {
  const rows = await query<{ occasion: string }>(
    `select occasion from kelpie.single_charges where partner_id = $1 and kind = 'monthly_account' order by 1`,
    [partnerId],
  );
  return rows.map(({ occasion }) => occasion);
}

test('the month in which an account is closed is charged whole, and none after it', async () => {
  const [early, late] = [await newPartner(), await newPartner()];
  now = started;
  assert.equal(await operators.closePartner(early.partnerId), 'closed');
  // On the 1st, before the run that charges the month.
  now = new Date(monthEnd(period).getTime() + 1);
  assert.equal(await operators.closePartner(late.partnerId), 'closed');
  for (const month of [period, next, monthAfter(next)]) await run(month);
  assert.deepEqual([await accountsOf(early), await accountsOf(late)], [[period], [period, next]]);
  const issued = (await listIssued(database)).filter((one) => one.partner_id === early.partnerId);
  assert.deepEqual(
    issued.map((one) => [one.period, one.total]),
    [[period, 1_500]],
  );
  assert.equal(await operators.closePartner(early.partnerId), 'closed_before');
});

test('a closed account pays nothing more; its people read it, with its invoices and what we owe', async () => {
  const testClock = createTestClock();
  const api = await startApi({ database, env: { KELPIE_TEST_CLOCK_FILE: testClock.file } });
  now = started;
  const partner = await newPartner();
  const { key } = await addKey(database, partner);
  const person = await signIn(database, partner, { url: api.url });
  await credit(partner, 5_000n);
  const slug = `p-${partner.partnerId.slice(-12)}`;
  const proposed = await kelpieAdmin(database, ['partners', 'close', slug, '--reason', 'a test', '--json']);
  assert.equal(proposed.code, 0, proposed.said);
  const id = textAt(proposed.data(), 'id');
  const own = await kelpieAdmin(database, ['approvals', 'approve', id, '--json']);
  assert.equal(textAt(own.json(), 'error.code'), 'second_operator_required');
  const approved = await kelpieAdmin(database, ['approvals', 'approve', id, '--json'], asSecondPerson(database));
  assert.equal(approved.code, 0, approved.said);

  const client = { url: api.url, key };
  const paid = await createPayout(client, payoutBody());
  assert.deepEqual([paid.status, paid.code], [403, 'partner_not_active']);
  assert.equal((await call(client, '/v1/balance')).code, 'partner_not_active');
  const account = await callAs(person, '/v1/account?environment=live');
  assert.deepEqual([account.status, textAt(account.json, 'status')], [200, 'closed']);
  assert(Math.abs(Date.parse(textAt(account.json, 'closed_at')) - Date.now()) < 600_000);
  await run(period);
  testClock.move(now.getTime() - Date.now() + 60_000);
  const invoices = await callAs(person, '/v1/invoices');
  const [invoice] = listAt(invoices.json, 'data');
  assert.deepEqual([textAt(invoice, 'total_gbp'), textAt(invoice, 'carried_over_gbp')], ['0.00', '35.00']);
  const usage = await callAs(person, '/v1/usage?environment=live');
  assert.equal(valueAt(usage.json, 'invoice_so_far.carried_over_gbp'), '35.00');
  const owed = await inTransaction(readers, 'shared', async (tx) => readOutstanding(tx, partner.partnerId));
  assert.deepEqual(owed, { unpaidInvoices: 0, unpaidPence: 0n, creditPence: 3_500n });
  const shown = await kelpieAdmin(database, ['partners', 'show', slug]);
  assert.match(shown.said, /: closed since .*\n[\s\S]*credit of 35\.00 GBP, which we owe after its last invoice/);

  const activated = await kelpieAdmin(database, ['partners', 'activate', slug, '--reason', 'a test', '--json']);
  assert.equal(textAt(activated.json(), 'error.code'), 'nothing_to_do');
  await assert.rejects(
    query(`update kelpie.partners set status = 'active', closed_at = null where id = $1`, [partner.partnerId]),
    { code: '23001' },
  );
});

test('an approval by the bank opens no live environment for an account that was closed before', async () => {
  const partnerId = newId(clock);
  await query(
    `insert into kelpie.partners (id, slug, name, status, created_at, verification_status)
     values ($1::text::uuid, 'c-' || right($1::text, 12), 'Closed', 'onboarding', now(), 'in_review')`,
    [partnerId],
  );
  await query(
    `insert into kelpie.verifications (id, partner_id, state, started_at, changed_at, asked_at, due_at)
     values ('kyc-closed', $1, 'in_review', now(), now(), now(), now())`,
    [partnerId],
  );
  now = started;
  assert.equal(await operators.closePartner(partnerId), 'closed');
  const [applied] = await inTransaction(pool, { partnerId, environment: 'sandbox' }, async (tx) => {
    const { rows } = await tx.query<{ decision: string | null }>(
      `select kelpie.apply_verification('kyc-closed', now(), now(), null, 'approved', false, 'active', null, null, 'c1', 'w1') as decision`,
    );
    return rows;
  });
  assert.equal(applied?.decision, null);
  assert.deepEqual(await query('select from kelpie.partner_environments where partner_id = $1', [partnerId]), []);
});

test('after all of that the books of closed accounts are right', async () => {
  assert.deepEqual(await findBillingDifferences(database), []);
});
