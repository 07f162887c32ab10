import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { runInvoices } from '../../src/billing/index.ts';
import { ledgerEvents, postTransfers } from '../../src/ledger/index.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import { inTransaction, type PartnerContext } from '../../src/platform/database/transaction.ts';
import { firstIdAt, lastId, newId } from '../../src/platform/ids.ts';
import { startJobSender } from '../../src/platform/jobs/jobs.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { monthAfter, monthEnd, monthOf } from '../../src/platform/london-month.ts';
import { createTestDatabase } from '../harness/database.ts';
import { findBillingDifferences } from '../simulate/billing.ts';
import { chargePayout, createBilledPartners, listIssued } from './billed-partners.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 6, applicationName: 'test', logger });
const calls = createSingleCalls(pool, noFailpoint);
const jobs = await startJobSender(pool, logger);
after(async () => {
  await jobs.stop();
  await pool.end();
});

const period = monthOf(new Date());
const end = monthEnd(period);
const firstOfNext = { now: () => end };

async function run(at: Date, upto = period): Promise<void> {
  const clock = { now: () => at };
  const report = await runInvoices({ pool, calls, clock, logger, failpoint: noFailpoint, jobs }, { upto });
  assert.equal(report.failed, 0);
}

async function newPartner(): Promise<PartnerContext> {
  const [partnerEnvironment] = await createBilledPartners(database, 1, new Date());
  assert(partnerEnvironment !== undefined);
  return partnerEnvironment;
}

async function totalsOf({ partnerId }: PartnerContext): Promise<[period: string, total: number][]> {
  const issued = await listIssued(database);
  return issued.filter((one) => one.partner_id === partnerId).map((one) => [one.period, one.total]);
}

const charge = { invoiceShare: 100n, network: 0n };

test('faults 30: what arrives as the clocks of London strike midnight on the 1st is on the invoice of the new month, and on no other', async () => {
  const partnerEnvironment = await newPartner();
  await chargePayout(pool, partnerEnvironment, { ...charge, at: new Date(end.getTime() - 1) });
  await chargePayout(pool, partnerEnvironment, { invoiceShare: 7n, network: 0n, at: end });
  await run(end);
  assert.deepEqual(await totalsOf(partnerEnvironment), [[period, 1_600]]);
  await run(monthEnd(monthAfter(period)), monthAfter(period));
  assert.deepEqual(await totalsOf(partnerEnvironment), [
    [period, 1_600],
    [monthAfter(period), 1_507],
  ]);
});

test('what is posted late for a month that is invoiced is refused, and posted now it is on the next invoice', async () => {
  const partnerEnvironment = await newPartner();
  await run(end);
  const late = chargePayout(pool, partnerEnvironment, { ...charge, at: new Date(end.getTime() - 1) });
  await assert.rejects(late, { code: 'KP423' });
  await chargePayout(pool, partnerEnvironment, { ...charge, at: end });
  await run(monthEnd(monthAfter(period)), monthAfter(period));
  assert.deepEqual(await totalsOf(partnerEnvironment), [
    [period, 1_500],
    [monthAfter(period), 1_600],
  ]);
});

test('a charge that is under way when its month is closed is waited for, and is on that invoice', async () => {
  const partnerEnvironment = await newPartner();
  let running: Promise<unknown> | undefined;
  await inTransaction(pool, partnerEnvironment, async (tx) => {
    const id = newId({ now: () => new Date(end.getTime() - 1) });
    const lines = ledgerEvents.charged('bank_exceptions', 55n);
    await postTransfers(tx, [{ id, ...partnerEnvironment, reason: 'charge.bank_exceptions', causeId: id, lines }]);
    running = run(end);
    // The run stands at this partner's books, and behind them nobody: others are invoiced meanwhile.
    await untilWaiting();
  });
  await running;
  assert.deepEqual(await totalsOf(partnerEnvironment), [[period, 1_555]]);
});

async function untilWaiting(): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) => {
    for (let tries = 0; tries < 200; tries += 1) {
      const { rows } = await client.query(
        `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
      );
      if (rows.length > 0) return;
      await client.query('select pg_sleep(0.02)');
    }
    throw new Error('nobody waits');
  });
}

test('what one partner is charged is told to nobody else, and to nobody who does not say who asks', async () => {
  const [partnerEnvironment, stranger] = [await newPartner(), await newPartner()];
  await chargePayout(pool, partnerEnvironment, { ...charge, at: new Date() });
  const gather = async (asker: PartnerContext | 'shared') =>
    inTransaction(pool, asker, async (tx) =>
      tx.query('select * from kelpie.gather_charges($1, $2, $3)', [
        partnerEnvironment.partnerId,
        firstIdAt(new Date(0)),
        lastId,
      ]),
    );
  assert.equal((await gather(partnerEnvironment)).rows.length, 1);
  for (const asker of [stranger, 'shared'] as const) await assert.rejects(gather(asker), { code: '42501' });
});

test('sandbox can not be charged, whatever the code believes', async () => {
  const [partnerEnvironment] = await createBilledPartners(database, 1, new Date());
  assert(partnerEnvironment !== undefined);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query(
      `insert into kelpie.partner_environments (partner_id, environment, created_at) values ($1, 'sandbox', now())`,
      [partnerEnvironment.partnerId],
    );
    await client.query(`insert into kelpie.wallets (partner_id, environment) values ($1, 'sandbox')`, [
      partnerEnvironment.partnerId,
    ]);
  });
  const sandbox: PartnerContext = { ...partnerEnvironment, environment: 'sandbox' };
  await assert.rejects(chargePayout(pool, sandbox, { ...charge, at: new Date() }), { code: '23514' });
});

test('a credit that is more than the charges leaves a total of nothing, and the rest to the next invoice', async () => {
  const partnerEnvironment = await newPartner();
  const id = newId(firstOfNext);
  const lines = ledgerEvents.providerFeeCredited(2_000n);
  await inTransaction(pool, partnerEnvironment, async (tx) =>
    postTransfers(tx, [{ id, ...partnerEnvironment, reason: 'payout.returned', causeId: id, lines }]),
  );
  const next = monthAfter(period);
  await run(monthEnd(next), next);
  await run(monthEnd(monthAfter(next)), monthAfter(next));
  assert.deepEqual(await totalsOf(partnerEnvironment), [
    [period, 1_500],
    // 15.00 less 20.00, and then 15.00 less the 5.00 that were left.
    [next, 0],
    [monthAfter(next), 1_000],
  ]);
});

test('a closed account that has credit left gets no invoice for a month in which nothing was charged', async () => {
  const partnerEnvironment = await newPartner();
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`update kelpie.partners set status = 'closed', closed_at = now() where id = $1`, [
      partnerEnvironment.partnerId,
    ]),
  );
  const id = newId({ now: () => new Date() });
  const lines = ledgerEvents.providerFeeCredited(5_000n);
  await inTransaction(pool, partnerEnvironment, async (tx) =>
    postTransfers(tx, [{ id, ...partnerEnvironment, reason: 'payout.returned', causeId: id, lines }]),
  );
  await run(end);
  const next = monthAfter(period);
  await run(monthEnd(next), next);
  assert.deepEqual(await totalsOf(partnerEnvironment), [[period, 0]]);
  // Nor is the credit forgotten, whenever something is charged again.
  await chargePayout(pool, partnerEnvironment, { invoiceShare: 5_700n, network: 0n, at: monthEnd(next) });
  await run(monthEnd(monthAfter(next)), monthAfter(next));
  assert.deepEqual(await totalsOf(partnerEnvironment), [
    [period, 0],
    // 57.00 less what the account of the month of closing left of 50.00.
    [monthAfter(next), 2_200],
  ]);
});

test('after all of that the ledger balances, and every invoice is what was posted', async () => {
  assert.deepEqual(await findBillingDifferences(database), []);
});

test('an invoice and its lines can not be changed or removed, also by their owner', async () => {
  await asAdmin(database.superuserUrl, async (client) => {
    for (const sql of [
      'delete from kelpie.invoices',
      'truncate kelpie.invoices cascade',
      'update kelpie.invoice_lines set amount_pence = amount_pence',
      'delete from kelpie.invoice_lines',
      'update kelpie.price_plans set monthly_pence = 1',
    ])
      await assert.rejects(client.query(sql), { code: '23001' }, sql);
  });
});

/** As nobody of ours could; what is then found has to say so. */
async function tamper(sql: string, kind: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(sql);
  });
  assert.match((await findBillingDifferences(database)).join('\n'), new RegExp(kind));
}

test('a made-up line, a changed total and a missing number are found', async () => {
  await tamper(`update kelpie.invoices set total_pence = total_pence + 1 where number = 1`, 'does not add up');
  await tamper(
    `update kelpie.invoice_lines set amount_pence = 1, unit_price_pence = 1 where kind = 'bank_exceptions'`,
    'line is not what was posted',
  );
  await tamper(`update kelpie.invoices set number = number + 1000 where number = 2`, 'numbers have a gap');
});
