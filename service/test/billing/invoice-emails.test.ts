import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import type { Mail } from '@kelpie/dev/mail/mail.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { printDay, printMonth } from '../../src/billing/pdf/printed-invoice.ts';
import { monthEnd, monthOf } from '../../src/platform/london-month.ts';
import { confirmPlantedAddresses } from '../harness/confirmed-addresses.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
import { startWorker } from '../harness/processes.ts';
import { readPdf } from '../harness/read-pdf.ts';
import { createBilledPartners } from './billed-partners.ts';

// A month is issued by a real worker with a shifted clock, and the emails are read from a real SMTP inbox.

const clock = createTestClock();
const database = await createTestDatabase();
const inbox = await startMailInbox({ smtp: 0, page: 0 });
after(inbox.close);

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<Row>(text, values)).rows);
}

const now = new Date();
const period = monthOf(now);
const [billed, founded, deserted] = await createBilledPartners(database, 3, now);
assert(billed !== undefined && founded !== undefined && deserted !== undefined);
await query(`update kelpie.partners set name = 'Tideway Coffee Ltd', billing_email = $2 where id = $1`, [
  billed.partnerId,
  'accounts@tideway.example',
]);
await confirmPlantedAddresses(database, billed.partnerId);
await query(
  `insert into kelpie.members (partner_id, email, role, created_at)
   values ($1, 'late@harbour.example', 'admin', now()), ($1, 'founder@harbour.example', 'admin', now() - interval '1 day'),
     ($1, 'viewer@harbour.example', 'viewer', now() - interval '2 days')`,
  [founded.partnerId],
);
clock.move(monthEnd(period).getTime() - now.getTime() + 60_000);
const worker = await startWorker({
  database,
  mail: inbox,
  env: {
    KELPIE_TEST_CLOCK_FILE: clock.file,
    KELPIE_DASHBOARD_URL: 'https://dashboard.kelpie.example',
    KELPIE_INVOICE_FROM: 'Kelpie Payouts Ltd; 1 Harbour Street; Edinburgh EH6 6AA',
    KELPIE_INVOICE_PAY_TO: 'Kelpie Payouts Ltd; 040004; 12345678',
  },
});

/** Runs a job, and waits until it has ended. */
async function runJob(queue: string, args: object = {}): Promise<void> {
  const [job] = await query<{ id: string }>(`insert into pgboss.job (name, data) values ($1, $2) returning id`, [
    queue,
    args,
  ]);
  await eventually(`${queue} has run`, async () => {
    const [ended] = await query<{ state: string }>('select state from pgboss.job where id = $1', [job?.id]);
    return ended?.state === 'completed';
  });
}

async function invoiceOf({ partnerId }: { partnerId: string }): Promise<{ id: string; number: string; due_at: Date }> {
  const [invoice] = await query<{ id: string; number: string; due_at: Date }>(
    `select id, 'KP-' || lpad(number::text, 6, '0') as number, due_at from kelpie.invoices where partner_id = $1`,
    [partnerId],
  );
  assert(invoice !== undefined);
  return invoice;
}

function arrivedFor(to: string): Mail[] {
  return inbox.mails().filter((mail) => mail.to.includes(to));
}

test('an invoice is emailed with its PDF to the billing address when it is issued', async () => {
  await runJob('issue-invoices');
  const mail = await inbox.waitForMail('accounts@tideway.example');
  const { id, number, due_at: dueAt } = await invoiceOf(billed);
  const month = printMonth(period);
  assert.equal(mail.subject, `Invoice ${number} for ${month}: £15.00`);
  const words = mail.text.replaceAll(/\s+/g, ' ');
  assert(words.startsWith(`Your Kelpie invoice for ${month} is £15.00, due on ${printDay(dueAt)}.`), mail.text);
  assert(mail.text.includes(`\nhttps://dashboard.kelpie.example/live/invoices/${id}\n`), mail.text);
  assert.match(mail.text, /Contact support: support@kelpie\.example/);
  const [file, ...others] = mail.attachments;
  assert.deepEqual([file?.name, file?.contentType, others], [`kelpie-invoice-${number}.pdf`, 'application/pdf', []]);
  const { text } = await readPdf(Buffer.from(file?.contentBase64 ?? '', 'base64'));
  for (const expected of [number, 'Tideway Coffee Ltd', '£15.00', 'Kelpie Payouts Ltd', '04-00-04'])
    assert(text.includes(expected), `${expected}: ${text}`);
});

test('without a billing address it goes to the founder', async () => {
  await inbox.waitForMail('founder@harbour.example');
  assert.deepEqual([arrivedFor('late@harbour.example'), arrivedFor('viewer@harbour.example')], [[], []]);
});

test('an account without people gets its invoice without an email, and the log says so', async () => {
  const line = await worker.waitForEvent('invoice.no_billing_email');
  assert.equal(line['partner_id'], deserted.partnerId);
  await invoiceOf(deserted);
});

test('issuing again, or running the job again, emails nothing twice', async () => {
  await runJob('issue-invoices');
  for (const partner of [billed, founded]) {
    const { id } = await invoiceOf(partner);
    await runJob('email-invoice', { partner_id: partner.partnerId, invoice_id: id });
  }
  const [waiting] = await query<{ count: number }>(
    'select count(*)::int as count from kelpie.outgoing_mails where sent_at is null',
  );
  assert.equal(waiting?.count, 0);
  assert.equal(inbox.mails().length, 2);
});

test('neither a job nor a log line holds an address, a name or the PDF', async () => {
  const jobs = await query<{ text: string }>(
    'select data::text || coalesce(output::text, $1) as text from pgboss.job',
    [''],
  );
  const seen = [...jobs.map(({ text }) => text), worker.output()].join('\n');
  assert.doesNotMatch(seen, /tideway|harbour|founder|JVBERi0/i);
});
