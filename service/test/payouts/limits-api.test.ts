import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { dayBefore, dayOf, endOfDay } from '../../src/platform/london-day.ts';
import { bankOf, call, cancelPayout, createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestClock, passTime } from '../harness/clock.ts';
import { confirming } from '../harness/confirming.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { plantKeyLimit, plantLimits } from '../harness/limited-payouts.ts';
import { mailedCode, waitingMails } from '../harness/mailed-code.ts';
import { addKey, depositToEach, type TestPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// The daily limits as a partner meets them: real processes, a stand-in for the live bank, and midnight in London.

const clock = createTestClock();
const world = await startWorld({
  environment: 'live',
  env: { KELPIE_TEST_CLOCK_FILE: clock.file, KELPIE_DASHBOARD_URL: 'http://dashboard.kelpie.test' },
  settleAfterMs: 600,
});
let shiftMs = 0;

/** Never over midnight by chance: every test begins at noon in London, and the days after it. */
async function toNoon(daysLater: number): Promise<void> {
  const now = Date.now() + shiftMs;
  const noon = endOfDay(new Date(now)).getTime() + (daysLater - 1) * 24 * 3_600_000 + 12 * 3_600_000;
  await passTime({ clock, bank: world.bank }, noon - now);
  shiftMs += noon - now;
}
await toNoon(1);

async function newClient(daily: string) {
  const { key, keyId } = await addKey(world.database, world.partner);
  await plantKeyLimit(world.database, keyId, { daily });
  return { url: world.api.url, key, keyId };
}

/** By the clock of the processes. */
async function signInNow(partner: TestPartner, role: 'admin' | 'viewer' = 'admin'): Promise<Person> {
  const person = await signIn(world.database, partner, { url: world.api.url, role });
  await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query('update kelpie.sessions set created_at = $2, last_seen_at = $2 where id = $1', [
      person.sessionId,
      new Date(Date.now() + shiftMs),
    ]),
  );
  return person;
}

const wish = (pounds: string, account = '77315678') => payoutBody({ amount_gbp: pounds }, bankOf(account));

async function limitsOf({ keyId, ...client }: Awaited<ReturnType<typeof newClient>>) {
  const { json, status } = await call(client, '/v1/limits');
  assert.equal(status, 200);
  const keys = valueAt(json, 'keys');
  assert(Array.isArray(keys));
  const own: unknown = keys.find((one: unknown) => valueAt(one, 'id') === keyId);
  return { json, spent: valueAt(own, 'spent_gbp'), left: valueAt(own, 'left_gbp'), limit: valueAt(own, 'limit_gbp') };
}

async function paymentOf({ id }: ApiAnswer): Promise<string> {
  const { rows } = await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query<{ payment: string }>('select bank_payment_id as payment from kelpie.payouts where id = $1', [id]),
  );
  return rows[0]?.payment ?? '';
}

test('faults 68: past a limit the answer is 422 with what is left and when it resets, and the same key pays the next day', async () => {
  const client = await newClient('30.00');
  const [first, key] = [await createPayout(client, wish('20.00')), randomUUID()];
  assert.equal(first.status, 201, first.text);
  const refused = await createPayout(client, wish('10.01'), key);
  assert.deepEqual([refused.status, refused.code], [422, 'limit_exceeded'], refused.text);
  const resetsAt = endOfDay(new Date(Date.now() + shiftMs)).toISOString();
  assert.deepEqual(valueAt(refused.json, 'error.details'), {
    limit: 'key',
    limit_gbp: '30.00',
    left_gbp: '10.00',
    resets_at: resetsAt,
  });
  const { json, spent, left, limit } = await limitsOf(client);
  assert.deepEqual([spent, left, limit], ['20.00', '10.00', '30.00']);
  assert.deepEqual(valueAt(json, 'daily'), {
    limit_gbp: '50000.00',
    spent_gbp: '20.00',
    left_gbp: '49980.00',
    resets_at: resetsAt,
  });
  assert.deepEqual(valueAt(json, 'new_payee'), { limit_gbp: '20000.00' });
  assert.equal(valueAt(json, 'highest_daily_limit_gbp'), '50000.00');
  await toNoon(1);
  const nextDay = await createPayout(client, wish('10.01'), key);
  assert.equal(nextDay.status, 201, nextDay.text);
  assert.equal((await limitsOf(client)).spent, '10.01');
});

test('what the bank refuses and what it cancels is given back at once', async () => {
  await toNoon(1);
  const client = await newClient('30.00');
  await world.bank.control('/faults', { on: 'transfer.create', kind: 'reject', times: 1, code: 'invalid_parameters' });
  const refused = await createPayout(client, wish('30.00'));
  assert.deepEqual([refused.status, refused.code], [502, 'payout_not_created'], refused.text);
  assert.equal((await limitsOf(client)).left, '30.00');
  const made = await createPayout(client, wish('30.00'));
  assert.equal(made.status, 201, made.text);
  assert.equal((await limitsOf(client)).left, '0.00');
  await world.bank.control(`/transfers/${await paymentOf(made)}/hold`, { state: 'awaiting_funds' });
  const cancelled = await cancelPayout(client, made.id);
  assert.equal(cancelled.payout, 'cancelled', cancelled.text);
  assert.equal((await limitsOf(client)).left, '30.00');
});

test('a payout that arrived and was returned stays counted', async () => {
  await toNoon(1);
  const client = await newClient('30.00');
  const made = await createPayout(client, wish('30.00'));
  const becomes = async (status: string) =>
    eventually(`it is ${status}`, async () => (await call(client, `/v1/payouts/${made.id}`)).payout === status);
  await becomes('completed');
  await world.bank.control(`/transfers/${await paymentOf(made)}/return`, { reason: 'account_closed' });
  await becomes('returned');
  assert.equal((await limitsOf(client)).left, '0.00');
});

test('a person who confirms a live payout meets the limits of the account, and the code is not used up', async () => {
  await toNoon(1);
  const partner = await world.addPartner();
  await depositToEach(world.database, [partner], 40_000_000_000n);
  await world.bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: 40_000_000_000 });
  const person = await signInNow(partner);
  const client = { url: world.api.url, key: partner.key };
  assert.equal((await createPayout(client, wish('19000.00'))).status, 201);
  const pay = async (body: object, key: string) =>
    callAs(person, '/v1/payouts?environment=live', { method: 'POST', body, headers: { 'idempotency-key': key } });
  const key = randomUUID();
  const asked = await pay(wish('1000.01'), key);
  assert.equal(asked.code, 'confirmation_required', asked.text);
  const code = await mailedCode(world.database, { to: person.email, kind: 'confirm-payout' });
  const refused = await pay({ ...wish('1000.01'), confirm_code: code }, key);
  assert.deepEqual([refused.status, refused.code], [422, 'limit_exceeded'], refused.text);
  assert.equal(valueAt(refused.json, 'error.details.limit'), 'new_payee');
  await plantLimits(world.database, partner, { daily: '50000.00', newPayee: '25000.00' });
  const paid = await pay({ ...wish('1000.01'), confirm_code: code }, key);
  assert.equal(paid.status, 201, paid.text);
});

function patch(body: object) {
  return { method: 'PATCH', body };
}
const limits = '/v1/limits?environment=live';

test('an admin changes the limits with an emailed code, as far as an operator allows, and every admin is emailed', async () => {
  const partner = await world.addPartner();
  const [person, other] = [await signInNow(partner), await signInNow(partner)];
  const confirmed = confirming(world.database);
  const body = { daily_limit_gbp: '40000.00', new_payee_limit_gbp: '25000.00' };
  const code = await confirmed.ask(person, limits, patch(body));
  const otherAct = await callAs(person, limits, patch({ ...body, daily_limit_gbp: '41000.00', confirm_code: code }));
  assert.equal(otherAct.code, 'invalid_confirm_code', 'a code for one change does not confirm another');
  const changed = await callAs(person, limits, patch({ ...body, confirm_code: code }));
  assert.equal(changed.status, 200, changed.text);
  assert.equal(valueAt(changed.json, 'daily.limit_gbp'), '40000.00');
  assert.equal(valueAt(changed.json, 'new_payee.limit_gbp'), '25000.00');
  for (const { email } of [person, other]) {
    const [mail, ...more] = await waitingMails(world.database, { to: email, kind: 'limits-changed' });
    assert(mail !== undefined && more.length === 0);
    assert.match(mail.text, /40000\.00 GBP \(before: 50000\.00 GBP\)/);
    assert.match(mail.text, /not-me#/);
  }
  const again = await callAs(person, limits, patch(body));
  assert.equal(again.status, 200, 'what changes nothing needs no code');
  const events = await callAs(person, '/v1/security-events?action=limits.update');
  assert.equal(valueAt(events.json, 'data.0.by'), person.email);
});

test('a limit out of range is refused before a code is emailed, and a viewer changes nothing', async () => {
  const partner = await world.addPartner();
  const person = await signInNow(partner);
  for (const [body, rule] of [
    [{ daily_limit_gbp: '50000.01' }, 'must be from 20000.00 to 50000.00'],
    [{ new_payee_limit_gbp: '19999.99' }, 'must be from 20000.00 to 50000.00'],
    [{ daily_limit_gbp: null }, 'must be an amount: live always has a limit'],
  ] as const) {
    const refused = await callAs(person, limits, patch(body));
    assert.deepEqual([refused.status, refused.code], [422, 'invalid_request'], refused.text);
    assert.equal(valueAt(refused.json, 'error.details.fields.0.rule'), rule);
  }
  assert.deepEqual(await waitingMails(world.database, { to: person.email, kind: 'confirm-act' }), []);
  const viewer = await signInNow(partner, 'viewer');
  assert.equal((await callAs(viewer, limits, patch({ daily_limit_gbp: '30000.00' }))).code, 'api_key_required');
  assert.equal((await callAs(viewer, limits)).status, 200);
});

/** A day's total, as if payouts had been counted. */
async function plantSpent({ partnerId }: TestPartner, day: string, pence: number): Promise<void> {
  await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query(`insert into kelpie.daily_spending values ($1, 'live', $2, '', $3, null)`, [partnerId, day, pence]),
  );
}

async function runVolumeJob(): Promise<void> {
  const { rows } = await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query<{ id: string }>(`insert into pgboss.job (name, data) values ('unusual-volume', '{}') returning id`),
  );
  await eventually('the job is done', async () => {
    const job = await asAdmin(world.database.superuserUrl, async (admin) =>
      admin.query<{ state: string }>('select state from pgboss.job where id = $1', [rows[0]?.id]),
    );
    return job.rows[0]?.state === 'completed';
  });
}

test('unusual volume is emailed to every admin once per day, and twice the usual is not unusual', async () => {
  const today = dayOf(new Date(Date.now() + shiftMs));
  const [usual, unusual] = [await world.addPartner(), await world.addPartner()];
  await plantSpent(usual, dayBefore(today, 30), 100_000);
  await plantSpent(usual, today, 200_000);
  await plantSpent(unusual, dayBefore(today, 3), 100_000);
  await plantSpent(unusual, today, 200_001);
  const [calm, ...warned] = [await signInNow(usual), await signInNow(unusual), await signInNow(unusual)];
  const mailsTo = async ({ email }: Person) => waitingMails(world.database, { to: email, kind: 'unusual-volume' });
  await runVolumeJob();
  await runVolumeJob();
  assert(calm !== undefined);
  assert.deepEqual(await mailsTo(calm), []);
  for (const person of warned) {
    const [mail, ...more] = await mailsTo(person);
    assert(mail !== undefined && more.length === 0);
    assert.match(mail.subject, /£2,000\.01/);
    assert.match(mail.text, /not-me#/);
  }
  await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query('delete from kelpie.daily_spending where partner_id = any ($1)', [
      [usual.partnerId, unusual.partnerId],
    ]),
  );
});

test('after all of it the books and the counters hold', async () => {
  await untilQuiet(world.database);
  await assertAllHolds(world);
});
