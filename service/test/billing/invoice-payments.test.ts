import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { runInvoices } from '../../src/billing/index.ts';
import { markOverdueInvoices } from '../../src/billing/payments/mark-overdue.ts';
import { ledgerEvents, postTransfers } from '../../src/ledger/index.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import { inTransaction, type PartnerContext } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import { startJobSender } from '../../src/platform/jobs/jobs.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { monthAfter, monthEnd, monthOf } from '../../src/platform/london-month.ts';
import { createTestDatabase } from '../harness/database.ts';
import { findBillingDifferences } from '../simulate/billing.ts';
import { createBilledPartners, listIssued } from './billed-partners.ts';
import { openOperators } from './collecting-operators.ts';

// Invoices of one month, paid and voided by operators as their command does it.

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 6, applicationName: 'test', logger });
const calls = createSingleCalls(pool, noFailpoint);
const jobs = await startJobSender(pool, logger);

const period = monthOf(new Date());
let now = monthEnd(period);
const clock = { now: () => now };
const operators = openOperators({ database, clock, jobs });
after(async () => {
  await operators.end();
  await jobs.stop();
  await pool.end();
});

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<Row>(text, values)).rows);
}

async function run(upto: string): Promise<void> {
  const report = await runInvoices({ pool, calls, clock, logger, failpoint: noFailpoint, jobs }, { upto });
  assert.equal(report.failed, 0);
}

interface Billed extends PartnerContext {
  invoiceId: string;
}

/** A partner with one invoice, of 15.00, or of what a credit leaves of it. */
async function billPartner({ credit = 0n }: { credit?: bigint } = {}): Promise<Billed> {
  const [partner] = await createBilledPartners(database, 1, new Date());
  assert(partner !== undefined);
  if (credit > 0n) {
    const id = newId({ now: () => new Date() });
    const lines = ledgerEvents.providerFeeCredited(credit);
    await inTransaction(pool, partner, async (tx) =>
      postTransfers(tx, [{ id, ...partner, reason: 'payout.returned', causeId: id, lines }]),
    );
  }
  await run(period);
  const [invoice] = await query<{ id: string }>('select id from kelpie.invoices where partner_id = $1', [
    partner.partnerId,
  ]);
  return { ...partner, invoiceId: invoice?.id ?? '' };
}

interface InvoiceState {
  status: string;
  paid_pence: number;
  paid_on: string | null;
}

async function stateOf({ invoiceId }: Billed): Promise<InvoiceState> {
  const [state] = await query<InvoiceState>(
    'select status, paid_pence::int, paid_on::text from kelpie.invoices where id = $1',
    [invoiceId],
  );
  assert(state !== undefined);
  return state;
}

/** In pence, of all that was ever posted for a partner. */
async function balancesOf({ partnerId }: PartnerContext): Promise<Record<string, number>> {
  const rows = await query<{ account: string; balance: number }>(
    `select account::text, sum(amount)::int as balance from kelpie.ledger_entries
     where partner_id = $1 and kelpie.currency_of(account) = 'GBP' group by 1 having sum(amount) <> 0`,
    [partnerId],
  );
  return Object.fromEntries(rows.map(({ account, balance }) => [account, balance]));
}

async function countEmailJobs({ invoiceId }: Billed, status: string): Promise<number> {
  const rows = await query(
    `select from pgboss.job where name = 'email-invoice-status' and data ->> 'invoice_id' = $1 and data ->> 'status' = $2`,
    [invoiceId, status],
  );
  return rows.length;
}

let references = 0;
const newReference = (): string => `FP-${(references += 1)}`;

async function pay(billed: Billed, amount: bigint, bankReference = newReference()): Promise<string> {
  return operators.pay({ ...billed, amount, bankReference });
}

// The month after was charged as this one was closed: 15.00 more are receivable than the invoice says.
const nextAccount = 1_500;

test('a payment of the total makes an invoice paid, moves receivable to cash, and emails the partner once', async () => {
  const billed = await billPartner();
  assert.equal(await pay(billed, 1_500n), 'paid');
  assert.deepEqual(await stateOf(billed), {
    status: 'paid',
    paid_pence: 1_500,
    paid_on: now.toISOString().slice(0, 10),
  });
  assert.deepEqual(await balancesOf(billed), { cash: 1_500, receivable: nextAccount, revenue: -1_500 - nextAccount });
  assert.equal(await countEmailJobs(billed, 'paid'), 1);
});

test('a payment that is too small is recorded and leaves the rest due, and one that is too large is refused', async () => {
  const billed = await billPartner();
  assert.equal(await pay(billed, 1_499n), 'part_paid');
  assert.deepEqual(await stateOf(billed), { status: 'issued', paid_pence: 1_499, paid_on: null });
  assert.equal(await pay(billed, 2n), 'too_much');
  assert.equal((await balancesOf(billed))['cash'], 1_499);
  assert.equal(await countEmailJobs(billed, 'paid'), 0);
  assert.equal(await pay(billed, 1n), 'paid');
  assert.equal(await pay(billed, 1n), 'not_open');
});

test('a match records a transfer only where it pays exactly what is left', async () => {
  const billed = await billPartner();
  const match = async (amount: bigint, bankReference: string): Promise<string> =>
    operators.pay({ ...billed, amount, bankReference, mustSettle: true });
  assert.deepEqual(
    [await match(1_499n, newReference()), await match(1_501n, newReference())],
    ['part_paid', 'too_much'],
  );
  assert.deepEqual(await balancesOf(billed), { receivable: 1_500 + nextAccount, revenue: -1_500 - nextAccount });
  const reference = newReference();
  assert.deepEqual([await match(1_500n, reference), await match(1_500n, reference)], ['paid', 'recorded_before']);
});

test('the same transfer is recorded once, also by eight at once', async () => {
  const [billed, other] = [await billPartner(), await billPartner()];
  const reference = newReference();
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, async (_, at) => pay(at % 2 === 0 ? billed : other, 700n, reference)),
  );
  assert.equal(outcomes.filter((outcome) => outcome === 'part_paid').length, 1, outcomes.join());
  assert(outcomes.every((outcome) => ['part_paid', 'recorded_before', 'recorded_otherwise'].includes(outcome)));
  const cash = [await balancesOf(billed), await balancesOf(other)].map((balances) => balances['cash'] ?? 0);
  assert.deepEqual(new Set(cash), new Set([0, 700]));
});

test('two transfers that each pay an invoice at once: one is recorded, the other is left for a person', async () => {
  const billed = await billPartner();
  const outcomes = await Promise.all([pay(billed, 1_500n), pay(billed, 1_500n)]);
  assert.deepEqual(outcomes.toSorted(), ['not_open', 'paid']);
  assert.equal((await balancesOf(billed))['cash'], 1_500);
  assert.equal(await countEmailJobs(billed, 'paid'), 1);
});

test('an invoice that is paid and voided at once is one of the two', async () => {
  for (let round = 0; round < 3; round += 1) {
    const billed = await billPartner();
    const [paid, voided] = await Promise.all([pay(billed, 1_500n), operators.voidInvoice(billed.invoiceId)]);
    const { status } = await stateOf(billed);
    assert.deepEqual([paid, voided], status === 'paid' ? ['paid', 'not_open'] : ['not_open', 'void']);
  }
});

test('a payment is dated between the issue of its invoice and today', async () => {
  const billed = await billPartner();
  const issued = now;
  now = new Date(issued.getTime() - 3 * 24 * 3_600_000);
  assert.equal(await pay(billed, 1_500n), 'wrong_date');
  now = issued;
});

test('a void invoice cancels its charges, gives back the credit that it used, and is final', async () => {
  const billed = await billPartner({ credit: 400n });
  const before = await balancesOf(billed);
  assert.deepEqual(before, { receivable: 1_100 + nextAccount, revenue: -1_100 - nextAccount });
  assert.equal(await operators.voidInvoice(billed.invoiceId), 'void');
  assert.deepEqual(await balancesOf(billed), { receivable: nextAccount, revenue: 400 - nextAccount, credit_due: -400 });
  assert.deepEqual(
    [await operators.voidInvoice(billed.invoiceId), await pay(billed, 1_100n)],
    ['not_open', 'not_open'],
  );
  const next = monthAfter(period);
  const at = now;
  now = monthEnd(next);
  await run(next);
  now = at;
  const totals = (await listIssued(database)).filter((one) => one.partner_id === billed.partnerId);
  assert.deepEqual(
    totals.map((one) => [one.period, one.total]),
    // 15.00 less the 4.00 that the void invoice had used.
    [
      [period, 1_100],
      [next, 1_100],
    ],
  );
  const [line] = await query<{ description: string }>(
    `select l.description from kelpie.invoice_lines l join kelpie.invoices i on i.id = l.invoice_id
     where i.partner_id = $1 and i.period = $2 and l.kind = 'credit'`,
    [billed.partnerId, next],
  );
  assert.equal(line?.description, 'Credit for a void invoice');
});

test('an invoice of which a part is paid is not voided', async () => {
  const billed = await billPartner();
  assert.equal(await pay(billed, 1n), 'part_paid');
  assert.equal(await operators.voidInvoice(billed.invoiceId), 'has_payments');
});

async function mark(): Promise<number> {
  return markOverdueInvoices({ pool, clock, jobs, failpoint: noFailpoint }, new AbortController().signal);
}

test('an invoice is overdue once its due day is over in London, marked once, and paid after that', async () => {
  const billed = await billPartner();
  const at = now;
  const [{ due_at: dueAt } = { due_at: at }] = await query<{ due_at: Date }>(
    'select due_at from kelpie.invoices where id = $1',
    [billed.invoiceId],
  );
  now = new Date(dueAt.getTime() + 60_000);
  await mark();
  assert.equal((await stateOf(billed)).status, 'issued', 'it can be paid all through the day on which it is due');
  now = new Date(dueAt.getTime() + 24 * 3_600_000);
  const marked = await Promise.all([mark(), mark()]);
  assert(marked[0] + marked[1] > 0);
  assert.equal((await stateOf(billed)).status, 'overdue');
  assert.equal(await mark(), 0);
  assert.equal(await countEmailJobs(billed, 'overdue'), 1);
  assert.equal(await pay(billed, 1_500n), 'paid');
  assert.deepEqual((await stateOf(billed)).status, 'paid');
  const [kept] = await query<{ overdue_at: Date | null }>('select overdue_at from kelpie.invoices where id = $1', [
    billed.invoiceId,
  ]);
  assert.equal(kept?.overdue_at?.getTime(), now.getTime());
  now = at;
});

test('an invoice of nothing is never overdue', async () => {
  const billed = await billPartner({ credit: 2_000n });
  const at = now;
  now = new Date(at.getTime() + 30 * 24 * 3_600_000);
  await mark();
  assert.equal((await stateOf(billed)).status, 'issued');
  now = at;
});

test('no role can pay more than the total, undo a payment, or move an invoice back', async () => {
  const billed = await billPartner();
  await pay(billed, 1_500n);
  await asAdmin(database.superuserUrl, async (client) => {
    for (const [sql, code] of [
      [`update kelpie.invoices set paid_pence = 1501 where id = $1`, '23514'],
      [`update kelpie.invoices set paid_pence = 0, status = 'issued', paid_on = null where id = $1`, '23514'],
      [`update kelpie.invoices set status = 'void', voided_at = now() where id = $1`, '23514'],
      [`update kelpie.invoices set total_pence = 1 where id = $1`, '23001'],
      [`update kelpie.invoices set due_at = now() + interval '1 year' where id = $1`, '23001'],
      [`update kelpie.invoice_payments set amount_pence = 1 where invoice_id = $1`, '23001'],
      [`delete from kelpie.invoice_payments where invoice_id = $1`, '23001'],
    ] as const)
      await assert.rejects(client.query(sql, [billed.invoiceId]), { code }, sql);
  });
});

test('the service records no payment without an operator, and no operator voids an invoice alone', async () => {
  const billed = await billPartner();
  const values = [billed.invoiceId, newId(clock)];
  for (const url of [database.serviceUrl, database.operatorUrl])
    await asAdmin(url, async (client) => {
      await assert.rejects(
        client.query(`select kelpie.operator_record_payment($1, $2, 1500, current_date, 'x', now())`, values),
        { code: '42501' },
      );
      await assert.rejects(client.query(`select kelpie.operator_void_invoice($2, $1, $2, now())`, values), {
        code: '42501',
      });
    });
});

test('after all of that the ledger balances, and what is not paid is receivable', async () => {
  assert.deepEqual(await findBillingDifferences(database), []);
});

/** As nobody of ours could; what is then found has to say so. */
async function tamper(sql: string, kind: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(sql);
  });
  assert.match((await findBillingDifferences(database)).join('\n'), new RegExp(kind));
}

test('a payment that was removed or changed, and a void invoice without its entries, are found', async () => {
  const someVoid = `(select void_transfer_id from kelpie.invoices where void_transfer_id is not null limit 1)`;
  await tamper(`delete from kelpie.ledger_entries where transfer_id = ${someVoid}`, 'is not what was booked');
  await tamper(
    `update kelpie.invoice_payments set received_on = received_on - 1 where amount_pence = 1500`,
    'invoice is not what was paid',
  );
  await tamper(`delete from kelpie.invoice_payments where amount_pence = 1500`, 'payment or void invoice is not');
  await tamper(
    `delete from kelpie.ledger_entries where reason = 'invoice.paid'`,
    'receivable or credit is not what invoices say',
  );
});
