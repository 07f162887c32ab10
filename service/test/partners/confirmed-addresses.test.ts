import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { activityOf } from '../activity/recorded-activity.ts';
import { call, type ApiAnswer } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { addressToken } from '../harness/confirmed-addresses.ts';
import { confirming } from '../harness/confirming.ts';
import { createTestDatabase } from '../harness/database.ts';
import { waitingMails } from '../harness/mailed-code.ts';
import { createSimulatedPartner, type TestPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { startApi } from '../harness/processes.ts';

// Whoever reads a contact or billing address shows it before anything else is sent there.

const database = await createTestDatabase();
const clock = createTestClock();
const { url } = await startApi({ database, env: { KELPIE_TEST_CLOCK_FILE: clock.file } });
const confirmed = confirming(database);

async function open(): Promise<{ partner: TestPartner; admin: Person }> {
  const partner = await createSimulatedPartner(database);
  return { partner, admin: await signIn(database, partner, { url }) };
}

async function update(person: Person, body: object): Promise<ApiAnswer> {
  return confirmed.call(person, '/v1/account?environment=sandbox', { method: 'PATCH', body });
}

async function confirm(token: string): Promise<ApiAnswer> {
  return call({ url, key: null }, '/v1/auth/confirm-address', { method: 'POST', body: { token } });
}

const noticesOf = async (to: string) => (await waitingMails(database, { to, kind: 'addresses-changed' })).length;
const asksOf = async (to: string) => waitingMails(database, { to, kind: 'confirm-address' });

async function newestToken(to: string): Promise<string> {
  const [newest] = await asksOf(to);
  assert(newest !== undefined);
  return addressToken(newest);
}

async function isConfirmed(admin: Person): Promise<unknown[]> {
  const { json } = await callAs(admin, '/v1/compliance');
  return ['billing', 'contact'].map((which) => valueAt(json, `account.${which}_email_confirmed`));
}

test('an address counts as confirmed only once the link that was sent to it is opened', async () => {
  const { partner, admin } = await open();
  await update(admin, { billing_email: 'bills@one.test', contact_email: 'ops@one.test' });
  assert.deepEqual(await isConfirmed(admin), [false, false]);
  const answer = await confirm(await newestToken('bills@one.test'));
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(await isConfirmed(admin), [true, false]);
  assert.equal((await confirm(await newestToken('bills@one.test'))).status, 200);
  const done = await activityOf(database, partner, 'account.confirm_address');
  assert.deepEqual(
    done.map(({ by, id }) => [by, id]),
    [['bills@one.test', answer.headers.get('request-id')]],
  );
});

test('one email asks for both, where an address is for both, and its link confirms both', async () => {
  const { admin } = await open();
  await update(admin, { billing_email: 'all@two.test', contact_email: 'all@two.test' });
  const [mail, ...others] = await asksOf('all@two.test');
  assert.match(mail?.text ?? '', /receives alerts and invoices/);
  assert.deepEqual(others, []);
  await confirm(await newestToken('all@two.test'));
  assert.deepEqual(await isConfirmed(admin), [true, true]);
});

test('a link of an address that was replaced, of another account, or over seven days old confirms nothing', async () => {
  const { admin } = await open();
  await update(admin, { contact_email: 'first@three.test' });
  const replaced = await newestToken('first@three.test');
  await update(admin, { contact_email: 'second@three.test' });
  assert.equal((await confirm(replaced)).code, 'invalid_code');
  const other = await open();
  await update(other.admin, { contact_email: 'third@three.test' });
  await update(admin, { contact_email: 'third@three.test' });
  const token = await newestToken('third@three.test');
  assert.equal((await confirm(token)).status, 200);
  assert.deepEqual(
    [await isConfirmed(admin), await isConfirmed(other.admin)],
    [
      [false, true],
      [false, false],
    ],
  );
  clock.move(7 * 24 * 3_600_000);
  assert.equal((await confirm(token)).code, 'invalid_code');
  clock.move(-7 * 24 * 3_600_000);
});

test('a notice of a change goes to the replaced address only where it was confirmed', async () => {
  const { admin } = await open();
  await update(admin, { contact_email: 'never@four.test' });
  await update(admin, { contact_email: 'read@four.test' });
  await confirm(await newestToken('read@four.test'));
  await update(admin, { contact_email: null });
  assert.deepEqual([await noticesOf('never@four.test'), await noticesOf('read@four.test')], [0, 1]);
});

test('one mailbox gets ten such emails an hour, under whichever address and of however many accounts', async () => {
  const answers: string[] = [];
  for (let times = 0; times < 11; times += 1) {
    const { admin } = await open();
    const { status, code } = await update(admin, { contact_email: `victim+${times}@five.test` });
    answers.push(code === '' ? String(status) : code);
  }
  assert.deepEqual(answers, [...Array.from({ length: 10 }, () => '200'), 'rate_limited']);
});

test('the database does not take a new address as confirmed, whoever sets it', async () => {
  const { partner } = await open();
  const [row] = await asAdmin(
    database.superuserUrl,
    async (client) =>
      (
        await client.query<{ confirmed: boolean }>(
          `update kelpie.partners set contact_email = 'sly@six.test', contact_email_confirmed_at = now() where id = $1
           returning contact_email_confirmed_at is not null as confirmed`,
          [partner.partnerId],
        )
      ).rows,
  );
  assert.deepEqual(row, { confirmed: false });
});
