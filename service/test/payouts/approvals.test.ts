import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { decide, decidePath, plantKeyCreator, plantRules, requestIn } from '../harness/approvals.ts';
import { bankOf, call, createPayout, payoutBody } from '../harness/client.ts';
import { confirming } from '../harness/confirming.ts';
import { createTestClock, passTime } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { mailedCode, waitingMails } from '../harness/mailed-code.ts';
import { addKey, type TestPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// Payouts that a second admin approves, as a partner meets them: real processes and a stand-in for the live bank.

const clock = createTestClock();
const world = await startWorld({
  environment: 'live',
  env: { KELPIE_TEST_CLOCK_FILE: clock.file, KELPIE_DASHBOARD_URL: 'http://dashboard.kelpie.test' },
});
const { database } = world;
const { url } = world.api;
const confirmed = confirming(database);

interface Account {
  partner: TestPartner;
  client: { url: string; key: string };
  /** Asks. */
  ada: Person;
  /** Approves. */
  alan: Person;
}

/** A live partner with two admins, every payout above 5.00 of which needs approval. Its key was created by the first. */
async function newAccount(rules: Parameters<typeof plantRules>[2] = { abovePence: 500n }): Promise<Account> {
  const partner = await world.addPartner();
  const [ada, alan] = [await signIn(database, partner, { url }), await signIn(database, partner, { url })];
  await plantKeyCreator(database, partner.keyId, ada.email);
  await plantRules(database, partner, rules);
  return { partner, client: { url, key: partner.key }, ada, alan };
}

const wish = (pounds: string, recipient: object = {}) => payoutBody({ amount_gbp: pounds }, recipient);
const readRequest = async ({ client }: Account, id: string) => call(client, `/v1/payout-requests/${id}`);

async function approve(person: Person, id: string) {
  return confirmed.call(person, decidePath(id, 'approve', 'live'), { method: 'POST' });
}

async function asSuperuser(text: string, values: unknown[] = []): Promise<unknown[]> {
  const { rows } = await asAdmin(database.superuserUrl, async (client) => client.query<object>(text, values));
  return rows;
}

const payoutsOf = async ({ partner }: Account) =>
  asSuperuser('select id, state from kelpie.payouts where partner_id = $1', [partner.partnerId]);

test('a payout above the amount waits, holds nothing, and is paid once another admin approves it; the retry replays it', async () => {
  const account = await newAccount();
  const { client, alan } = account;
  const key = randomUUID();
  assert.equal((await createPayout(client, wish('5.00'))).status, 201);
  const balance = (await call(client, '/v1/balance')).text;
  const asked = await createPayout(client, wish('5.01'), key);
  assert.deepEqual([asked.status, asked.code], [422, 'approval_required'], asked.text);
  const id = requestIn(asked);
  assert.equal((await call(client, '/v1/balance')).text, balance);
  const again = await createPayout(client, wish('5.01'), key);
  assert.deepEqual([again.code, requestIn(again)], ['approval_required', id]);
  const other = await createPayout(client, wish('5.02'), key);
  assert.deepEqual(
    [other.code, valueAt(other.json, 'error.details.mismatched')],
    ['idempotency_key_reused', ['amount_gbp']],
  );
  const [mail, ...more] = await waitingMails(database, { to: alan.email, kind: 'payout-request' });
  assert(mail !== undefined && more.length === 0);
  for (const text of ['£5.01', 'Ada Canaryname', 'ending in 5678', 'Order 42', client.key.slice(0, 16), id])
    assert(mail.text.includes(text), text);
  assert.deepEqual(await waitingMails(database, { to: account.ada.email, kind: 'payout-request' }), []);
  const done = await approve(alan, id);
  assert.deepEqual([done.status, done.payout], [200, 'approved'], done.text);
  assert.equal(valueAt(done.json, 'decided_by'), alan.email);
  const replay = await createPayout(client, wish('5.01'), key);
  assert.deepEqual([replay.status, replay.id], [200, textAt(done.json, 'payout_id')], replay.text);
  assert.deepEqual((await approve(alan, id)).json, done.json);
  assert.equal((await payoutsOf(account)).length, 2);
});

test('a new payee and a key need approval where a rule says so, and what was paid once is no new payee', async () => {
  const account = await newAccount({ newPayee: true });
  const { client, partner, alan } = account;
  const first = await createPayout(client, wish('4.00'));
  assert.deepEqual(valueAt(first.json, 'error.details.payout_request.reasons'), ['new_payee']);
  const id = textAt((await approve(alan, requestIn(first))).json, 'payout_id');
  await eventually('it has arrived', async () => (await call(client, `/v1/payouts/${id}`)).payout === 'completed');
  assert.equal((await createPayout(client, wish('4.00'))).status, 201);
  await plantRules(database, partner, { keyIds: [partner.keyId], abovePence: 0n });
  const both = await createPayout(client, wish('4.00'));
  assert.deepEqual(valueAt(both.json, 'error.details.payout_request.reasons'), ['amount', 'key']);
  await plantRules(database, partner, { keyIds: [partner.keyId] });
  const unruled = await addKey(database, partner);
  assert.equal((await createPayout({ url, key: unruled.key }, wish('4.00'))).status, 201);
  assert.equal((await createPayout(client, wish('4.00'))).code, 'approval_required');
});

test('faults 90: of a hundred approvals at the same moment one pays', async () => {
  const account = await newAccount();
  const { client, partner } = account;
  const asked = await createPayout(client, wish('6.00'));
  const id = requestIn(asked);
  const people = await Promise.all(Array.from({ length: 20 }, async () => signIn(database, partner, { url })));
  const codes = await Promise.all(
    people.map(async (person) => confirmed.ask(person, decidePath(id, 'approve', 'live'), { method: 'POST' })),
  );
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, at) => {
      const body = { confirm_code: codes[at % people.length] };
      const person = people[at % people.length];
      assert(person !== undefined);
      return callAs(person, decidePath(id, 'approve', 'live'), { method: 'POST', body });
    }),
  );
  const approved = answers.filter(({ status }) => status === 200);
  assert(approved.length > 0, answers[0]?.text);
  const ids = new Set(approved.map(({ json }) => valueAt(json, 'payout_id')));
  assert.equal(ids.size, 1);
  assert.equal((await payoutsOf(account)).length, 1);
});

test('nobody approves what they asked for, nor what a key of theirs asks for; the database refuses it too', async () => {
  const account = await newAccount();
  const { client, ada, alan } = account;
  const byKey = requestIn(await createPayout(client, wish('7.00')));
  const own = await approve(ada, byKey);
  assert.deepEqual([own.status, own.code], [403, 'second_admin_required'], own.text);
  const pay = { method: 'POST', body: wish('8.00'), headers: { 'idempotency-key': randomUUID() } };
  const toConfirm = await callAs(alan, '/v1/payouts?environment=live', pay);
  assert.equal(toConfirm.code, 'confirmation_required', toConfirm.text);
  const code = await mailedCode(database, { to: alan.email, kind: 'confirm-payout' });
  const wrong = code === '000000' ? '000001' : '000000';
  const guessed = await callAs(alan, '/v1/payouts?environment=live', {
    ...pay,
    body: { ...pay.body, confirm_code: wrong },
  });
  assert.equal(guessed.code, 'invalid_confirm_code', guessed.text);
  const asked = await callAs(alan, '/v1/payouts?environment=live', {
    ...pay,
    body: { ...pay.body, confirm_code: code },
  });
  assert.equal(asked.code, 'approval_required', asked.text);
  const again = await callAs(alan, '/v1/payouts?environment=live', pay);
  assert.equal(requestIn(again), requestIn(asked), again.text);
  assert.equal((await approve(alan, requestIn(asked))).code, 'second_admin_required');
  for (const [id, person] of [
    [byKey, ada],
    [requestIn(asked), alan],
  ] as const) {
    const [said] = await asSuperuser(
      `select set_config('kelpie.partner_id', $3, false), set_config('kelpie.environment', 'live', false),
         kelpie.decide_payout_request($1, $2, true, now()) as said`,
      [id, person.sessionId, account.partner.partnerId],
    );
    assert.equal(valueAt(said, 'said'), 'own');
    await assert.rejects(
      asSuperuser('update kelpie.payout_requests set approved_by = $2, approved_at = now() where id = $1', [
        id,
        person.email,
      ]),
      /payout_requests_second_person/,
    );
  }
  const viewer = await signIn(database, account.partner, { url, role: 'viewer' });
  await assert.rejects(
    asSuperuser('update kelpie.payout_requests set approved_by = $2, approved_at = now() where id = $1', [
      byKey,
      viewer.email,
    ]),
    /only an admin decides/,
  );
  const done = await approve(ada, requestIn(asked));
  assert.equal(done.payout, 'approved', done.text);
});

test('each field that is changed in the database voids the request, also past its triggers', async () => {
  const account = await newAccount();
  const id = requestIn(await createPayout(account.client, wish('9.00')));
  const changes = [
    'amount_pence = 900000',
    `reference = 'Other'`,
    `recipient_name = 'Mallory'`,
    `account_last4 = '0000'`,
    `recipient_encrypted = set_byte(recipient_encrypted, 30, (get_byte(recipient_encrypted, 30) + 1) % 256)`,
    `idempotency_key = 'another-key'`,
    'order_id = gen_random_uuid()',
    'fingerprint = sha256(fingerprint)',
    `requested_by = 'kp_live_00000000'`,
    'requester = null',
    'caller_id = gen_random_uuid()',
    `expires_at = expires_at + interval '1 day'`,
    'digest = sha256(digest)',
  ];
  for (const change of changes) {
    // A rotation of the data key may replace it: what it then holds has to fit the digest.
    if (!change.startsWith('recipient_encrypted'))
      await assert.rejects(asSuperuser(`update kelpie.payout_requests set ${change} where id = $1`, [id]), change);
    await asAdmin(database.superuserUrl, async (client) => {
      await client.query('create table if not exists public.kept as select * from kelpie.payout_requests where false');
      await client.query('insert into public.kept select * from kelpie.payout_requests where id = $1', [id]);
      await client.query(`set session_replication_role = replica`);
      await client.query(`update kelpie.payout_requests set ${change} where id = $1`, [id]);
    });
    const answer = await approve(account.alan, id);
    assert.deepEqual([answer.status, answer.code], [409, 'payout_request_void'], `${change}: ${answer.text}`);
    await asAdmin(database.superuserUrl, async (client) => {
      await client.query(`set session_replication_role = replica`);
      await client.query('delete from kelpie.payout_requests where id = $1', [id]);
      await client.query('insert into kelpie.payout_requests select * from public.kept');
      await client.query('drop table public.kept');
    });
  }
  assert.equal((await payoutsOf(account)).length, 0);
  assert.equal((await approve(account.alan, id)).payout, 'approved');
});

test('what would refuse the payout refuses the approval, and leaves it open', async () => {
  const account = await newAccount();
  const { client, alan, partner } = account;
  const tooMuch = requestIn(await createPayout(client, wish('15000.00')));
  const refused = await approve(alan, tooMuch);
  assert.deepEqual([refused.status, refused.code], [402, 'insufficient_funds'], refused.text);
  assert.equal((await readRequest(account, tooMuch)).payout, 'open');
  const { key, keyId } = await addKey(database, partner);
  const revoked = requestIn(await createPayout({ url, key }, wish('6.00')));
  await asSuperuser('update kelpie.api_keys set revoked_at = now() where id = $1', [keyId]);
  const byRevoked = await approve(alan, revoked);
  assert.deepEqual([byRevoked.status, byRevoked.code], [409, 'payout_request_void'], byRevoked.text);
  assert.equal((await payoutsOf(account)).length, 0);
  const member = await signIn(database, partner, { url });
  const pay = { method: 'POST', body: wish('6.50'), headers: { 'idempotency-key': randomUUID() } };
  await callAs(member, '/v1/payouts?environment=live', pay);
  const code = await mailedCode(database, { to: member.email, kind: 'confirm-payout' });
  const asked = await callAs(member, '/v1/payouts?environment=live', {
    ...pay,
    body: { ...pay.body, confirm_code: code },
  });
  await asSuperuser('delete from kelpie.members where email = $1', [member.email]);
  assert.equal((await approve(alan, requestIn(asked))).code, 'payout_request_void');
});

test('what was declined is final for its key, also once no rule asks for approval', async () => {
  const account = await newAccount();
  const { client, ada, alan, partner } = account;
  const key = randomUUID();
  const id = requestIn(await createPayout(client, wish('6.00'), key));
  const declined = await decide(ada, id, 'decline', 'live');
  assert.deepEqual([declined.status, declined.payout], [200, 'declined'], declined.text);
  assert.deepEqual((await decide(alan, id, 'decline', 'live')).json, declined.json);
  assert.equal((await approve(alan, id)).code, 'payout_request_closed');
  await plantRules(database, partner, {});
  const retried = await createPayout(client, wish('6.00'), key);
  assert.deepEqual([retried.status, retried.code], [409, 'payout_request_closed'], retried.text);
  const [row] = await asSuperuser('select recipient_encrypted from kelpie.payout_requests where id = $1', [id]);
  assert.equal(valueAt(row, 'recipient_encrypted'), null);
  assert.equal((await payoutsOf(account)).length, 0);
});

test('its events and its lists say what became of it, and only its own partner sees it', async () => {
  const account = await newAccount();
  const { client, alan } = account;
  const [one, two] = [await createPayout(client, wish('6.00')), await createPayout(client, wish('6.01'))].map(
    requestIn,
  );
  assert(one !== undefined && two !== undefined);
  const done = await approve(alan, one);
  await decide(alan, two, 'decline', 'live');
  const listed = listAt((await call(client, '/v1/payout-requests')).json, 'data');
  assert.deepEqual(
    listed.map((request) => [textAt(request, 'id'), textAt(request, 'status')]),
    [
      [two, 'declined'],
      [one, 'approved'],
    ],
  );
  assert.deepEqual(listAt((await call(client, '/v1/payout-requests?status=open')).json, 'data'), []);
  const page = await call(client, '/v1/payout-requests?limit=1');
  assert.match(page.headers.get('link') ?? '', new RegExp(`cursor=${two}`));
  const events = await eventually('four events are there', async () => {
    const { json } = await call(client, '/v1/events?limit=50');
    const found = listAt(json, 'data').filter((event) => textAt(event, 'type').startsWith('payout_request.'));
    return found.length === 4 && found;
  });
  assert.deepEqual(
    events.map((event) => textAt(event, 'type')),
    ['payout_request.created', 'payout_request.created', 'payout_request.approved', 'payout_request.declined'],
  );
  assert.deepEqual(valueAt(events[2], 'data'), done.json);
  const stranger = await newAccount();
  assert.equal((await readRequest(stranger, one)).status, 404);
  assert.equal((await approve(stranger.alan, one)).status, 404);
});

test('looser rules wait for another admin, tighter ones hold at once, and they need two admins', async () => {
  const partner = await world.addPartner();
  const ada = await signIn(database, partner, { url });
  const path = '/v1/approval-rules?environment=live';
  const change = async (person: Person, body: object) => confirmed.call(person, path, { method: 'PATCH', body });
  const alone = await change(ada, { above_gbp: '5.00' });
  assert.deepEqual([alone.status, alone.code], [403, 'second_admin_required'], alone.text);
  const alan = await signIn(database, partner, { url });
  const set = await change(ada, { above_gbp: '5.00', new_payee: true });
  assert.deepEqual([valueAt(set.json, 'above_gbp'), valueAt(set.json, 'pending')], ['5.00', null], set.text);
  const client = { url, key: partner.key };
  assert.equal((await createPayout(client, wish('5.01'))).code, 'approval_required');
  const looser = await change(ada, { above_gbp: null });
  assert.deepEqual(
    [
      valueAt(looser.json, 'above_gbp'),
      valueAt(looser.json, 'pending.above_gbp'),
      valueAt(looser.json, 'pending.requested_by'),
    ],
    ['5.00', null, ada.email],
    looser.text,
  );
  const approvePath = '/v1/approval-rules/approve?environment=live';
  const own = await confirmed.call(ada, approvePath, { method: 'POST' });
  assert.equal(own.code, 'second_admin_required', own.text);
  const [said] = await asSuperuser(
    `select set_config('kelpie.partner_id', $2, false), set_config('kelpie.environment', 'live', false),
       kelpie.decide_approval_rules($1, true, now()) as said`,
    [ada.sessionId, partner.partnerId],
  );
  assert.equal(valueAt(said, 'said'), 'own');
  assert.equal((await createPayout(client, wish('5.01', bankOf('12345678')))).code, 'approval_required');
  const approved = await confirmed.call(alan, approvePath, { method: 'POST' });
  assert.deepEqual(
    [valueAt(approved.json, 'above_gbp'), valueAt(approved.json, 'pending')],
    [null, null],
    approved.text,
  );
  assert.equal((await confirmed.call(alan, approvePath, { method: 'POST' })).status, 404);
  await change(alan, { new_payee: false });
  const declined = await callAs(ada, '/v1/approval-rules/decline?environment=live', { method: 'POST' });
  assert.deepEqual(
    [valueAt(declined.json, 'new_payee'), valueAt(declined.json, 'pending')],
    [true, null],
    declined.text,
  );
  const mails = await waitingMails(database, { to: alan.email, kind: 'approval-rules' });
  assert.equal(mails.length, 5);
  const unknown = await change(ada, { api_key_ids: [randomUUID()] });
  assert.equal(unknown.code, 'invalid_request', unknown.text);
});

test('after 72 hours nobody can approve it, and a job closes it', async () => {
  const account = await newAccount();
  const { client, alan, partner } = account;
  const key = randomUUID();
  const id = requestIn(await createPayout(client, wish('6.00'), key));
  await passTime({ clock, bank: world.bank }, 72 * 3_600_000 + 1_000);
  const person = await signIn(database, partner, { url, email: alan.email });
  await asSuperuser(
    `update kelpie.sessions set created_at = now() + interval '72 hours', last_seen_at = now() + interval '72 hours' where id = $1`,
    [person.sessionId],
  );
  const late = await approve(person, id);
  assert.deepEqual([late.status, late.code], [409, 'payout_request_closed'], late.text);
  const [said] = await asSuperuser(
    `select set_config('kelpie.partner_id', $3, false), set_config('kelpie.environment', 'live', false),
       kelpie.decide_payout_request($1, $2, true, now() + interval '73 hours') as said`,
    [id, person.sessionId, partner.partnerId],
  );
  assert.equal(valueAt(said, 'said'), 'was_expired');
  await asSuperuser(`select kelpie.sweep_payout_requests(now() + interval '73 hours', 10)`);
  assert.equal((await readRequest(account, id)).payout, 'expired');
  const retried = await createPayout(client, wish('6.00'), key);
  assert.deepEqual([retried.status, retried.code], [409, 'payout_request_closed'], retried.text);
});

test('nothing of it was wrong: the books balance', async () => {
  await untilQuiet(database);
  await assertAllHolds(world);
});
