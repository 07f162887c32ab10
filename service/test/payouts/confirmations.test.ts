import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { payoutCalls } from '../../src/payouts/index.ts';
import { bankOf, createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { mailedCode, waitingMails } from '../harness/mailed-code.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { giveCode, plantCodes } from '../harness/sign-in.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// A person pays with real money: the code is good for that one payout, for five minutes, once. The bank's own record says
// what was paid.

const clock = createTestClock();
const env = { KELPIE_TEST_CLOCK_FILE: clock.file };
const world = await startWorld({ environment: 'live', env });
const kind = 'confirm-payout';

/** Somebody new for each test: codes and wrong guesses are counted by person. */
async function newAdmin(url = world.api.url): Promise<Person> {
  return signIn(world.database, world.partner, { url });
}

interface Order {
  body: Record<string, unknown>;
  key: string;
}

function newOrder(change: object = {}, recipient: object = {}): Order {
  return { body: payoutBody({ amount_gbp: '10.00', ...change }, recipient), key: randomUUID() };
}

async function pay(person: Person, { body, key }: Order, code?: string): Promise<ApiAnswer> {
  return callAs(person, '/v1/payouts?environment=live', {
    method: 'POST',
    body: code === undefined ? body : { ...body, confirm_code: code },
    headers: { 'idempotency-key': key },
  });
}

async function lastSeen({ email }: Person): Promise<Date> {
  return asAdmin(world.database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ at: Date }>(
      'select max(last_seen_at) as at from kelpie.sessions where email = $1',
      [email],
    );
    assert(rows[0] !== undefined);
    return rows[0].at;
  });
}

async function ask(person: Person, order: Order): Promise<string> {
  const asked = await pay(person, order);
  assert.deepEqual([asked.status, asked.code], [422, 'confirmation_required'], asked.text);
  return mailedCode(world.database, { to: person.email, kind });
}

function wrong(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}

async function assertRefused(answer: Promise<ApiAnswer>): Promise<void> {
  const { status, code, text } = await answer;
  assert.deepEqual([status, code], [422, 'invalid_confirm_code'], text);
}

async function countPayouts(): Promise<number> {
  const { rows } = await asAdmin(world.database.superuserUrl, async (client) =>
    client.query<{ count: number }>('select count(*)::int as count from kelpie.payouts'),
  );
  return rows[0]?.count ?? 0;
}

async function assertHolds(acknowledged: readonly string[] = []): Promise<void> {
  await untilQuiet(world.database);
  await assertAllHolds({ ...world, acknowledged });
}

test('a live payout by a person is sent once it is confirmed by the code in the mail, and by nothing before', async () => {
  const person = await newAdmin();
  const order = newOrder();
  const before = await countPayouts();
  const asked = await pay(person, order);
  assert.deepEqual([asked.status, asked.code], [422, 'confirmation_required'], asked.text);
  assert(new Date(textAt(asked.json, 'error.details.good_until')).getTime() > Date.now() + 4 * 60_000);
  assert.equal(await countPayouts(), before);
  const [mail, ...more] = await waitingMails(world.database, { to: person.email, kind });
  assert(mail !== undefined && more.length === 0);
  for (const said of ['£10.00', 'Ada Canaryname', 'ending in 5678']) assert(mail.text.includes(said), mail.text);
  const code = await mailedCode(world.database, { to: person.email, kind });
  assert(!asked.text.includes(code));
  const made = await pay(person, order, code);
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(
    [valueAt(made.json, 'created_via'), valueAt(made.json, 'environment'), made.payout],
    ['dashboard', 'live', 'processing'],
  );
  const activity = await callAs(person, '/v1/activity');
  assert(
    JSON.stringify(activity.json).includes(`"by":"${person.email}"`) && activity.text.includes(made.id),
    activity.text,
  );
  await assertHolds([made.id]);
  for (const child of world.processes)
    assert.doesNotMatch(child.output(), new RegExp(`"${code}"| ${code} |people\\.test`));
});

test('faults 49: a code that is moved to any other order, key, session or person pays nothing', async () => {
  const person = await newAdmin();
  const order = newOrder();
  const code = await ask(person, order);
  const before = await countPayouts();
  const others: Order[] = [
    { ...order, key: randomUUID() },
    { ...order, body: payoutBody({ amount_gbp: '10.01' }) },
    { ...order, body: payoutBody({ amount_gbp: '10.00', reference: 'Order 43' }) },
    { ...order, body: payoutBody({ amount_gbp: '10.00' }, bankOf('77315679')) },
    { ...order, body: payoutBody({ amount_gbp: '10.00' }, { last_name: 'Byron' }) },
    { ...order, body: payoutBody({ amount_gbp: '10.00' }, { type: 'business' }) },
  ];
  for (const other of others) await assertRefused(pay(person, other, code));
  await assertRefused(pay(await newAdmin(), order, code));
  const elsewhere = await signIn(world.database, world.partner, { url: world.api.url, email: person.email });
  await assertRefused(pay(elsewhere, order, code));
  assert.equal(await countPayouts(), before);
  const made = await pay(person, order, code);
  assert.equal(made.status, 201, made.text);
  await assertHolds([made.id]);
});

test('faults 49: a code that was used pays nothing more: its own key is answered with its payout', async () => {
  const person = await newAdmin();
  const order = newOrder();
  const code = await ask(person, order);
  const made = await pay(person, order, code);
  const after = await countPayouts();
  for (const given of [code, wrong(code), undefined]) {
    const again = await pay(person, order, given);
    assert.deepEqual([again.status, again.id], [200, made.id], again.text);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
  }
  const changed = await pay(person, { ...order, body: payoutBody({ amount_gbp: '11.00' }) }, code);
  assert.deepEqual([changed.status, changed.code], [422, 'idempotency_key_reused']);
  await assertRefused(pay(person, { ...order, key: randomUUID() }, code));
  assert.equal(await countPayouts(), after);
  await assertHolds([made.id]);
});

test('faults 49: a code is worth nothing after five minutes', async (t) => {
  const person = await newAdmin();
  const [early, late] = [newOrder(), newOrder()];
  const codes = [await ask(person, early), await ask(person, late)] as const;
  t.after(() => clock.move(-301_000));
  clock.move(290_000);
  const made = await pay(person, early, codes[0]);
  assert.equal(made.status, 201, made.text);
  clock.move(11_000);
  await assertRefused(pay(person, late, codes[1]));
  await assertHolds([made.id]);
});

test('faults 49: a code is worth nothing after five tries', async () => {
  const person = await newAdmin();
  const order = newOrder();
  const code = await ask(person, order);
  for (let tries = 0; tries < 5; tries += 1) await assertRefused(pay(person, order, wrong(code)));
  await assertRefused(pay(person, order, code));
  const made = await pay(person, order, await ask(person, order));
  assert.equal(made.status, 201, made.text);
  await assertHolds([made.id]);
});

test('tries that come at once are counted one by one', async () => {
  const person = await newAdmin();
  const order = newOrder();
  const code = await ask(person, order);
  await Promise.all(Array.from({ length: 8 }, async () => assertRefused(pay(person, order, wrong(code)))));
  await assertRefused(pay(person, order, code));
  await assertHolds();
});

test('after ten wrong guesses on a day no code of that person is judged, and another person is not kept from paying', async () => {
  const person = await newAdmin();
  for (let orders = 0; orders < 2; orders += 1) {
    const order = newOrder();
    const code = await ask(person, order);
    for (let tries = 0; tries < 5; tries += 1) await assertRefused(pay(person, order, wrong(code)));
  }
  const order = newOrder();
  await assertRefused(pay(person, order, await ask(person, order)));
  const other = await newAdmin();
  const made = await pay(other, order, await ask(other, order));
  assert.equal(made.status, 201, made.text);
  await assertHolds([made.id]);
});

test('a stranger who uses up the guesses at signing in does not keep the person from paying', async () => {
  const person = await newAdmin();
  const { email, url } = person;
  for (let codes = 0; codes < 3; codes += 1) {
    await plantCodes(world.database, [{ email, code: '000001' }]);
    for (let tries = 0; tries < 4; tries += 1) await giveCode(url, { email, code: '000000' });
  }
  const order = newOrder();
  const made = await pay(person, order, await ask(person, order));
  assert.equal(made.status, 201, made.text);
  await assertHolds([made.id]);
});

test('whoever asks again is mailed another code, and the first is worth nothing; a sixth within the hour is refused', async (t) => {
  const person = await newAdmin();
  const order = newOrder();
  const first = await ask(person, order);
  let newest = first;
  for (let asked = 1; asked < 5; asked += 1) newest = await ask(person, order);
  const sixth = await pay(person, newOrder());
  assert.deepEqual([sixth.status, sixth.code], [429, 'rate_limited'], sixth.text);
  const wait = Number(sixth.headers.get('retry-after'));
  assert(wait > 3_500 && wait <= 3_600, `${wait}`);
  assert.equal((await waitingMails(world.database, { to: person.email, kind })).length, 5);
  // One time in a million they are the same.
  if (first !== newest) await assertRefused(pay(person, order, first));
  const made = await pay(person, order, newest);
  assert.equal(made.status, 201, made.text);
  await assertHolds([made.id]);
  t.after(() => clock.move(-3 * Math.ceil((1_000 * wait) / 3)));
  // In steps, as a person would who is still there: a session ends after half an hour without a request. An api process
  // remembers a session for most of a second, so only a later request is recorded as its use.
  for (let moved = 0; moved < 3; moved += 1) {
    const before = await lastSeen(person);
    clock.move(Math.ceil((1_000 * wait) / 3));
    await eventually('the use is recorded', async () => {
      assert.equal((await callAs(person, '/v1/account?environment=live')).status, 200);
      return (await lastSeen(person)) > before;
    });
  }
  await ask(person, newOrder());
});

test('a double click pays once: of many at once with one key and its code, one makes the payout', async () => {
  const person = await newAdmin();
  const order = newOrder();
  const code = await ask(person, order);
  const answers = await Promise.all(Array.from({ length: 10 }, async () => pay(person, order, code)));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(answers.filter(({ status }) => status === 200).length, 9);
  assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
  await assertHolds([answers[0]?.id ?? '']);
});

test('what undoes the payout gives the code back: for want of funds it is refused the same way twice', async () => {
  const person = await newAdmin();
  const order = newOrder({ amount_gbp: '20000.00' });
  const code = await ask(person, order);
  for (let tries = 0; tries < 2; tries += 1) {
    const poor = await pay(person, order, code);
    assert.deepEqual([poor.status, poor.code], [402, 'insufficient_funds'], poor.text);
  }
  await assertHolds();
});

for (const [on, code, status] of [
  ['transfer.create', 'invalid_parameters', 502],
  ['external_account.create', 'invalid_account_number', 422],
] as const) {
  test(`faults 49: a code whose payout the bank refused at ${on} is used: another one pays it, once`, async () => {
    const person = await newAdmin();
    // An account that the bank does not know yet.
    const order = newOrder({}, bankOf(status === 502 ? '66660001' : '66660002'));
    const used = await ask(person, order);
    await world.bank.control('/faults', { on, kind: 'reject', times: 1, code, status: 400 });
    const refused = await pay(person, order, used);
    assert.equal(refused.status, status, refused.text);
    await assertRefused(pay(person, order, used));
    const made = await pay(person, order, await ask(person, order));
    assert.equal(made.status, 201, made.text);
    await assertHolds([made.id]);
  });
}

test('a code is mailed only for what would pass: not for an amount out of range, nor for an account that may not pay', async () => {
  const person = await newAdmin();
  const small = await pay(person, newOrder({ amount_gbp: '2.99' }));
  assert.deepEqual([small.status, small.code], [422, 'invalid_amount'], small.text);
  const suspended = await world.addPartner();
  await asAdmin(world.database.superuserUrl, async (client) =>
    client.query(`update kelpie.partners set status = 'suspended' where id = $1`, [suspended.partnerId]),
  );
  const theirs = await signIn(world.database, suspended, { url: world.api.url });
  assert.equal((await pay(theirs, newOrder())).code, 'partner_not_active');
  for (const { email } of [person, theirs])
    assert.deepEqual(await waitingMails(world.database, { to: email, kind }), []);
});

test('a payout that a key has made is answered to a person with the same Idempotency-Key, and no code is asked for', async () => {
  const person = await newAdmin();
  const order = newOrder();
  const made = await createPayout({ url: world.api.url, key: world.partner.key }, order.body, order.key);
  const again = await pay(person, order);
  assert.deepEqual([again.status, again.id], [200, made.id], again.text);
  assert.deepEqual(await waitingMails(world.database, { to: person.email, kind }), []);
  await assertHolds([made.id]);
});

test('an API key needs no code, and one that it brings is ignored; so is a person in sandbox', async () => {
  const client = { url: world.api.url, key: world.partner.key };
  const made = await createPayout(client, payoutBody({ amount_gbp: '10.00', confirm_code: '000000' }));
  assert.deepEqual([made.status, valueAt(made.json, 'created_via')], [201, 'api'], made.text);
  const partner = await createSimulatedPartner(world.database);
  const person = await signIn(world.database, partner, { url: world.api.url });
  for (const code of [{}, { confirm_code: '000000' }]) {
    const inSandbox = await callAs(person, '/v1/payouts?environment=sandbox', {
      method: 'POST',
      body: payoutBody(code),
      headers: { 'idempotency-key': randomUUID() },
    });
    assert.deepEqual([inSandbox.status, valueAt(inSandbox.json, 'created_via')], [201, 'dashboard'], inSandbox.text);
  }
  await assertHolds([made.id]);
});

test('a viewer, and an admin who was made one since, confirms nothing', async () => {
  const viewer = await signIn(world.database, world.partner, { url: world.api.url, role: 'viewer' });
  assert.equal((await pay(viewer, newOrder())).code, 'api_key_required');
  const person = await newAdmin();
  const order = newOrder();
  const code = await ask(person, order);
  await asAdmin(world.database.superuserUrl, async (client) =>
    client.query(`update kelpie.members set role = 'viewer' where email = $1`, [person.email]),
  );
  const refused = await pay(person, order, code);
  assert(refused.status === 401 || refused.code === 'api_key_required', refused.text);
  await assertHolds();
});

test('killed before or after the commit that uses a code: the payout is made once or not at all', async () => {
  for (const point of ['before', 'after'] as const) {
    const dying = await world.addApi({ KELPIE_TEST_FAILPOINT: `database.create_payouts.${point}*1` });
    const person = await newAdmin();
    const order = newOrder();
    const code = await ask(person, order);
    await assert.rejects(pay({ ...person, url: dying.url }, order, code));
    clock.move(10_000);
    await untilQuiet(world.database);
    const again = await pay(person, order, code);
    assert.equal(again.status, point === 'before' ? 201 : 200, again.text);
    await assertHolds([again.id]);
    clock.move(-10_000);
  }
});

test('the database itself makes no live payout for a person without a code that was right', async () => {
  const { sessionId } = await newAdmin();
  const given: Record<string, string> = {
    partner_ids: world.partner.partnerId,
    environments: 'live',
    caller_ids: sessionId,
    payout_ids: randomUUID(),
    order_ids: randomUUID(),
    created_vias: 'dashboard',
    wallet_debits_micro_usdc: '5',
    entry_payouts: '1',
    entry_firsts: 'true',
    entry_accounts: 'wallet',
    entry_amounts: '5',
  };
  const { text } = payoutCalls.createPayouts;
  const names = [...text.matchAll(/(\w+) => \$/g)].map(([, name = '']) => name);
  const isEmpty = /^(repeat|retr|confirmation_|entry_)/;
  const values = names.map((name) => `{${given[name] ?? (isEmpty.test(name) ? '' : 'NULL')}}`);
  const { rows } = await asAdmin(world.database.superuserUrl, async (client) =>
    client.query<{ outcome: string }>(text, values),
  );
  assert.deepEqual(
    rows.map(({ outcome }) => outcome),
    ['unauthorized'],
  );
});

test('no code at all confirms nothing, also where the database is asked itself', async () => {
  const person = await newAdmin();
  await ask(person, newOrder());
  const { rows } = await asAdmin(world.database.superuserUrl, async (client) =>
    client.query<{ judged: boolean }>(
      `select kelpie.judge_confirmation(c.partner_id, c.session_id, c.order_hmac, c.email_hmac, null, c.created_at) as judged
       from kelpie.payout_confirmations c where c.session_id = $1`,
      [person.sessionId],
    ),
  );
  assert.deepEqual(rows, [{ judged: false }]);
});

test('the code is read from a mail that was delivered, and pays', async (t) => {
  const inbox = await startMailInbox({ smtp: 0, page: 0 });
  t.after(inbox.close);
  // Alone: a worker without this relay would take the mail as well, and try it again only later.
  await world.restartWorker({ KELPIE_SMTP_URL: `smtp://127.0.0.1:${inbox.smtpPort}` });
  const person = await newAdmin();
  const order = newOrder();
  assert.equal((await pay(person, order)).code, 'confirmation_required');
  const { subject, text } = await inbox.waitForMail(person.email);
  const [code] = /\b\d{6}\b/.exec(text) ?? [];
  assert(code !== undefined && !subject.includes(code));
  const made = await pay(person, order, code);
  assert.equal(made.status, 201, made.text);
  await assertHolds([made.id]);
});
