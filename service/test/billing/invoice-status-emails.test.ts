import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import type { Mail } from '@kelpie/dev/mail/mail.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { runInvoices } from '../../src/billing/index.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import { startJobSender } from '../../src/platform/jobs/jobs.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { monthEnd, monthOf } from '../../src/platform/london-month.ts';
import { confirmPlantedAddresses } from '../harness/confirmed-addresses.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
import { startWorker } from '../harness/processes.ts';
import { readPdf } from '../harness/read-pdf.ts';
import { createBilledPartners } from './billed-partners.ts';
import { openOperators } from './collecting-operators.ts';

// Invoices that fall due, marked by real workers with a shifted clock; the emails are read from a real SMTP inbox.

const testClock = createTestClock();
const database = await createTestDatabase();
const inbox = await startMailInbox({ smtp: 0, page: 0 });
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 3, applicationName: 'test', logger });
const jobs = await startJobSender(pool, logger);
const startedAt = new Date();
let shiftMs = 0;
const clock = { now: () => new Date(Date.now() + shiftMs) };
const operators = openOperators({ database, clock, jobs });
after(async () => {
  await operators.end();
  await jobs.stop();
  await pool.end();
  await inbox.close();
});

function move(byMs: number): void {
  shiftMs += byMs;
  testClock.move(byMs);
}

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<Row>(text, values)).rows);
}

const dayMs = 24 * 60 * 60_000;
const period = monthOf(startedAt);
const [late, moved, deserted] = await createBilledPartners(database, 3, startedAt);
assert(late !== undefined && moved !== undefined && deserted !== undefined);
const addressOf = async (partnerId: string, email: string): Promise<void> => {
  await query('update kelpie.partners set billing_email = $2 where id = $1', [partnerId, email]);
  await confirmPlantedAddresses(database, partnerId);
};
await addressOf(late.partnerId, 'accounts@tideway.example');
await addressOf(moved.partnerId, 'old@harbour.example');
move(monthEnd(period).getTime() - startedAt.getTime() + 60_000);
const calls = createSingleCalls(pool, noFailpoint);
await runInvoices({ pool, calls, clock, logger, failpoint: noFailpoint, jobs }, { upto: period });
// Emails of the invoices themselves are not what this is about.
await query(`delete from pgboss.job where name = 'email-invoice'`);
await addressOf(moved.partnerId, 'new@harbour.example');
move(16 * dayMs);

const env = {
  KELPIE_TEST_CLOCK_FILE: testClock.file,
  KELPIE_DASHBOARD_URL: 'https://dashboard.kelpie.example',
  KELPIE_INVOICE_PAY_TO: 'Kelpie Payouts Ltd; 040004; 12345678',
};

async function addJob(queue: string, args: object = {}): Promise<string> {
  const [job] = await query<{ id: string }>(`insert into pgboss.job (name, data) values ($1, $2) returning id`, [
    queue,
    args,
  ]);
  return job?.id ?? '';
}

async function untilDone(id: string): Promise<void> {
  await eventually('the job has run', async () => {
    const [job] = await query<{ state: string }>('select state from pgboss.job where id = $1', [id]);
    return job?.state === 'completed';
  });
}

interface InvoiceRow {
  id: string;
  status: string;
  number: string;
}

async function invoiceOf({ partnerId }: { partnerId: string }): Promise<InvoiceRow> {
  const [invoice] = await query<InvoiceRow>(
    `select id, status, 'KP-' || lpad(number::text, 6, '0') as number from kelpie.invoices where partner_id = $1`,
    [partnerId],
  );
  assert(invoice !== undefined);
  return invoice;
}

function arrivedFor(to: string): Mail[] {
  return inbox.mails().filter((mail) => mail.to.includes(to));
}

/** What a worker that is killed at a point leaves: the status of each invoice, and how many emails wait. */
async function killAt(point: string): Promise<{ statuses: string[]; emails: number }> {
  const id = await addJob('mark-overdue-invoices');
  const killed = await startWorker({ database, env: { ...env, KELPIE_TEST_FAILPOINT: `${point}*1` } });
  assert.equal((await killed.exited).signal, 'SIGKILL');
  await query('delete from pgboss.job where id = $1', [id]);
  const invoices = await query<{ status: string }>('select status from kelpie.invoices');
  const emails = await query(`select from pgboss.job where name = 'email-invoice-status'`);
  return { statuses: invoices.map(({ status }) => status), emails: emails.length };
}

// Before the worker that goes on: it would take their jobs.
const afterKills = [await killAt('overdue.marked'), await killAt('overdue.committed')];
const worker = await startWorker({ database, mail: inbox, env });

test('a worker that is killed while it marks invoices leaves them marked with their emails, or as they were', () => {
  assert.deepEqual(afterKills, [
    { statuses: ['issued', 'issued', 'issued'], emails: 0 },
    { statuses: ['overdue', 'overdue', 'overdue'], emails: 3 },
  ]);
});

test('each partner is emailed once about an overdue invoice, at the address that it has now', async () => {
  await untilDone(await addJob('mark-overdue-invoices'));
  const mail = await inbox.waitForMail('accounts@tideway.example');
  const { id, number } = await invoiceOf(late);
  assert(
    mail.subject.startsWith(`Invoice ${number} for `) && mail.subject.endsWith(' is overdue: £15.00'),
    mail.subject,
  );
  assert(mail.text.includes(`\nhttps://dashboard.kelpie.example/live/invoices/${id}\n`), mail.text);
  const { text } = await readPdf(Buffer.from(mail.attachments[0]?.contentBase64 ?? '', 'base64'));
  assert(text.includes('04-00-04') && text.includes('£15.00 due by'), text);
  await inbox.waitForMail('new@harbour.example');
  assert.deepEqual(arrivedFor('old@harbour.example'), []);
  const line = await worker.waitForEvent('invoice.no_billing_email');
  assert.equal(line['partner_id'], deserted.partnerId);
});

test('an overdue invoice that is paid is emailed once as paid, with the paid invoice', async () => {
  const { id: invoiceId, number } = await invoiceOf(late);
  const payment = { invoiceId, partnerId: late.partnerId, amount: 1_500n, bankReference: 'FP-1' };
  assert.equal(await operators.pay(payment), 'paid');
  await eventually('it has arrived', async () => arrivedFor('accounts@tideway.example').length === 2);
  const mail = arrivedFor('accounts@tideway.example').find(({ subject }) => subject.startsWith('Payment received'));
  assert.equal(mail?.subject, `Payment received for invoice ${number}: £15.00`);
  const { text } = await readPdf(Buffer.from(mail?.attachments[0]?.contentBase64 ?? '', 'base64'));
  assert(text.includes('£15.00 paid on') && !text.includes('Sort code'), text);
});

test('a repeated job emails nothing twice, and no reminder goes out for an invoice that was paid meanwhile', async () => {
  const { id } = await invoiceOf(late);
  for (const status of ['paid', 'overdue'])
    await untilDone(await addJob('email-invoice-status', { partner_id: late.partnerId, invoice_id: id, status }));
  await query('update kelpie.invoices set overdue_emailed_at = null where id = $1', [id]);
  await untilDone(
    await addJob('email-invoice-status', { partner_id: late.partnerId, invoice_id: id, status: 'overdue' }),
  );
  await untilDone(await addJob('mark-overdue-invoices'));
  const [waiting] = await query<{ count: number }>(
    'select count(*)::int as count from kelpie.outgoing_mails where sent_at is null',
  );
  assert.equal(waiting?.count, 0);
  assert.equal(inbox.mails().length, 3);
});

test('neither a job nor a log line holds an address or a name', async () => {
  const rows = await query<{ text: string }>(
    'select data::text || coalesce(output::text, $1) as text from pgboss.job',
    [''],
  );
  assert.doesNotMatch([...rows.map(({ text }) => text), worker.output()].join('\n'), /tideway|harbour/i);
});
