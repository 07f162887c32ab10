import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import type { Mail } from '@kelpie/dev/mail/mail.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { canaries, createPayout, getPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestClock, passTime } from '../harness/clock.ts';
import { startWorld } from '../harness/world.ts';

// Payouts fail, return and stay open at a stand-in for the live bank. The emails are read from a real SMTP inbox.

const clock = createTestClock();
const inbox = await startMailInbox({ smtp: 0, page: 0 });
after(inbox.close);
const world = await startWorld({
  environment: 'live',
  settleAfterMs: 24 * 60 * 60_000,
  env: {
    KELPIE_TEST_CLOCK_FILE: clock.file,
    KELPIE_SMTP_URL: `smtp://127.0.0.1:${inbox.smtpPort}`,
    KELPIE_DASHBOARD_URL: 'https://dashboard.kelpie.example',
  },
});
const client = { url: world.api.url, key: world.partner.key };
const minute = 60_000;

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(world.database.superuserUrl, async (admin) => (await admin.query<Row>(text, values)).rows);
}

await query(
  `insert into kelpie.members (partner_id, email, role, created_at, emails_live_problems)
   values ($1, 'admin@tideway.example', 'admin', now(), null), ($1, 'quiet@tideway.example', 'admin', now(), false),
     ($1, 'viewer@tideway.example', 'viewer', now(), null), ($1, 'keen@tideway.example', 'viewer', now(), true)`,
  [world.partner.partnerId],
);

async function moveTime(byMs: number): Promise<void> {
  await passTime({ clock, bank: world.bank }, byMs);
}

/** Runs the job that comes every minute, and waits until what it posted is sent. */
async function runJob(): Promise<void> {
  const [job] = await query<{ id: string }>(`insert into pgboss.job (name) values ('payout-problems') returning id`);
  await eventually('the job has run, and the emails are sent', async () => {
    const [row] = await query<{ is_done: boolean }>(
      `select state = 'completed' and not exists (select from kelpie.outgoing_mails where sent_at is null) as is_done
       from pgboss.job where id = $1`,
      [job?.id],
    );
    return row?.is_done;
  });
}

async function pay(): Promise<{ made: ApiAnswer; payment: string }> {
  const made = await createPayout(client, payoutBody({ amount_gbp: '5.00', reference: 'INV-2041' }));
  assert.equal(made.status, 201, made.text);
  const [row] = await query<{ payment: string }>(
    'select bank_payment_id as payment from kelpie.payouts where id = $1',
    [made.id],
  );
  return { made, payment: row?.payment ?? '' };
}

async function becomes({ id }: ApiAnswer, status: string): Promise<void> {
  await eventually(`${id} is ${status}`, async () => (await getPayout(client, id)).payout === status);
}

async function fail(): Promise<ApiAnswer> {
  const { made, payment } = await pay();
  await world.bank.control(`/transfers/${payment}/fail`, { reason: 'account_closed' });
  await becomes(made, 'failed');
  return made;
}

function mailsTo(email: string): Mail[] {
  return inbox.mails().filter(({ to }) => to.includes(email));
}

const words = (mail: Mail | undefined): string => mail?.text.replaceAll(/\s+/g, ' ') ?? '';

const slow = await pay();

test('a failed payout is emailed to the people who asked for it: admins unless they said no, viewers if they said yes', async () => {
  const made = await fail();
  await runJob();
  const [mail] = mailsTo('admin@tideway.example');
  assert.equal(mail?.subject, 'Your live payout of £5.00 to Ada Canaryname failed');
  assert.match(words(mail), /Reference: INV-2041 Reason: The recipient's account is closed\./);
  assert.match(words(mail), /on hold until the bank refunds it/);
  assert(mail.text.includes(`\nhttps://dashboard.kelpie.example/live/payouts/${made.id}\n`), mail.text);
  assert.equal(mailsTo('keen@tideway.example').length, 1);
  assert.deepEqual([mailsTo('quiet@tideway.example'), mailsTo('viewer@tideway.example')], [[], []]);
});

test('many problems are one email: a second one comes 15 minutes later at the earliest, with all of them', async () => {
  await fail();
  const { made, payment } = await pay();
  await world.bank.control(`/transfers/${payment}/return`, { reason: 'recalled', refund_micro_usdc: 6_000_000 });
  await becomes(made, 'returned');
  await runJob();
  assert.equal(mailsTo('admin@tideway.example').length, 1);
  await moveTime(16 * minute);
  await runJob();
  await runJob();
  const mails = mailsTo('admin@tideway.example');
  assert.equal(mails.length, 2);
  assert.equal(mails[0]?.subject, '2 live payouts need your attention');
  assert.match(words(mails[0]), /Failed: £5\.00 to Ada Canaryname .*Returned: £5\.00 to Ada Canaryname/);
});

test('a payout that is still open after four hours is emailed once, as delayed', async () => {
  await moveTime(4 * 60 * minute);
  await runJob();
  await moveTime(16 * minute);
  await runJob();
  const mails = mailsTo('admin@tideway.example');
  assert.equal(mails.length, 3);
  assert.equal(mails[0]?.subject, 'Your live payout of £5.00 to Ada Canaryname is delayed');
  assert.match(words(mails[0]), /Do not send this payout again/);
  assert.equal((await getPayout(client, slow.made.id)).payout, 'processing');
});

test('the refund of a payout that failed is no second problem', async () => {
  const [row] = await query<{ payment: string; id: string }>(
    `select id, bank_payment_id as payment from kelpie.payouts where state = 'failed' order by id limit 1`,
  );
  await world.bank.control(`/transfers/${row?.payment}/refund`, {});
  await eventually('the money is back', async () => {
    const steps = await query(`select from kelpie.payout_history where payout_id = $1 and what = 'refunded'`, [
      row?.id,
    ]);
    return steps.length === 1;
  });
  assert.deepEqual(await query('select kind from kelpie.payout_problems where notified_at is null'), []);
});

test('no email has bank details, and neither a job nor a log line has a name, an address or an account', async () => {
  const { sortCode, accountNumber, line1, email } = canaries;
  for (const { text, html = '' } of inbox.mails())
    for (const secret of [sortCode, accountNumber, line1, email]) assert(!(text + html).includes(secret), secret);
  const jobs = await query<{ text: string }>(`select data::text || coalesce(output::text, '') as text from pgboss.job`);
  const seen = [...jobs.map(({ text }) => text), ...world.processes.map((one) => one.output())].join('\n');
  assert.doesNotMatch(seen, /Canaryname|tideway|77315678|040977/);
});
