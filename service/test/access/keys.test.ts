import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, createPayout, type ApiAnswer } from '../harness/client.ts';
import { confirming } from '../harness/confirming.ts';
import { createTestDatabase } from '../harness/database.ts';
import { assertBooksHold } from '../harness/invariants.ts';
import { addKey, createSimulatedPartner, type TestPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { startApi, startWorker } from '../harness/processes.ts';
import { activityOf } from '../activity/recorded-activity.ts';

const database = await createTestDatabase();
const inbox = await startMailInbox({ smtp: 0, page: 0 });
after(inbox.close);
const apis = await Promise.all([startApi({ database }), startApi({ database }), startApi({ database })]);
const [{ url }] = apis;
const worker = await startWorker({ database, mail: inbox });
const confirmed = confirming(database, inbox);

/** A partner has one key from the start. */
async function newPartner(): Promise<{ partner: TestPartner; admin: Person }> {
  const partner = await createSimulatedPartner(database);
  return { partner, admin: await signIn(database, partner, { url }) };
}

async function create(admin: Person, body: object = { environment: 'sandbox' }): Promise<ApiAnswer> {
  return confirmed.call(admin, '/v1/keys', { method: 'POST', body });
}

async function revoke(admin: Person, id: string): Promise<ApiAnswer> {
  return callAs(admin, `/v1/keys/${id}`, { method: 'DELETE' });
}

function mailsTo(email: string) {
  return inbox.mails().filter(({ to }) => to.includes(email));
}

test('a new key works at once, and its secret is in that one answer and nowhere else', async () => {
  const { partner, admin } = await newPartner();
  const made = await create(admin, { environment: 'sandbox', label: 'Web shop' });
  assert.equal(made.status, 201, made.text);
  const secret = textAt(made.json, 'secret');
  assert.match(secret, /^kp_sandbox_[a-f0-9]{48}$/);
  assert(secret.startsWith(textAt(made.json, 'key_prefix')));
  assert.deepEqual([valueAt(made.json, 'environment'), valueAt(made.json, 'label')], ['sandbox', 'Web shop']);
  assert.match(textAt(made.json, 'note'), /not shown again/);
  assert.equal(made.headers.get('cache-control'), 'no-store');
  assert.equal(textAt((await call({ url, key: secret }, '/v1/account')).json, 'id'), partner.partnerId);
  const hidden = secret.slice(textAt(made.json, 'key_prefix').length);
  assert(!(await callAs(admin, '/v1/keys')).text.includes(hidden));
  assert(!(await callAs(admin, '/v1/activity')).text.includes(hidden));
  for (const process of [...apis, worker]) assert(!process.output().includes(hidden));
});

test('every admin is told by mail of a key that was made and of one that was revoked, and no viewer is', async () => {
  const { partner, admin } = await newPartner();
  const other = await signIn(database, partner, { url });
  const viewer = await signIn(database, partner, { url, role: 'viewer' });
  const made = await create(admin, { environment: 'sandbox', label: 'Ledger' });
  assert.equal((await revoke(admin, made.id)).status, 200);
  for (const { email } of [admin, other]) {
    const mails = await eventually('both mails are there', async () => {
      const arrived = mailsTo(email);
      return arrived.length === 2 && arrived;
    });
    const subjects = mails.map(({ subject }) => subject).toSorted();
    assert.deepEqual(subjects, ['A sandbox API key for Partner was revoked', 'New sandbox API key for Partner']);
    for (const { text, html = '' } of mails) {
      assert(text.includes(textAt(made.json, 'key_prefix')) && text.includes(admin.email), text);
      assert(!`${text}${html}`.includes(textAt(made.json, 'secret')));
    }
  }
  assert.equal(mailsTo(viewer.email).length, 0);
});

test('what is done to a key is in the activity list, once, under the id of its request', async () => {
  const { partner, admin } = await newPartner();
  const made = await create(admin);
  const revoked = await revoke(admin, made.id);
  const written = { environment: 'sandbox', by: admin.email, detail: made.id };
  assert.deepEqual(await activityOf(database, partner, 'key.create'), [
    { id: made.headers.get('request-id'), status: 201, ...written },
  ]);
  assert.deepEqual(await activityOf(database, partner, 'key.revoke'), [
    { id: revoked.headers.get('request-id'), status: 200, ...written },
  ]);
});

test('a label has 60 characters at most, and what is not right is named', async () => {
  const { admin } = await newPartner();
  for (const label of ['é'.repeat(60), 'two\nlines'])
    assert.equal(textAt((await create(admin, { environment: 'sandbox', label })).json, 'label'), label);
  for (const label of ['', ' '])
    assert.equal(valueAt((await create(admin, { environment: 'sandbox', label })).json, 'label'), null);
  for (const body of [
    {},
    { environment: 'production' },
    { environment: 'sandbox', label: 'x'.repeat(61) },
    { environment: 'sandbox', label: 'a\u0000b' },
    { environment: 'sandbox', more: 1 },
  ]) {
    const answer = await create(admin, body);
    assert.deepEqual([answer.status, answer.code], [422, 'invalid_request'], JSON.stringify(body));
  }
});

test('of ten keys that are asked for at the same moment, at four existing, exactly one is made', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { partner, admin } = await newPartner();
    for (let more = 0; more < 3; more += 1) await addKey(database, partner);
    const asking = Array.from({ length: 10 }, async (_, place) =>
      create({ ...admin, url: apis[place % 3]?.url ?? url }),
    );
    const answers = await Promise.all(asking);
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((one, other) => one - other),
      [201, ...Array<number>(9).fill(409)],
    );
    assert(answers.every(({ status, code }) => status === 201 || code === 'key_limit_reached'));
    const { rows } = await asAdmin(database.superuserUrl, async (client) =>
      client.query('select from kelpie.api_keys where partner_id = $1 and revoked_at is null', [partner.partnerId]),
    );
    assert.equal(rows.length, 5);
    assert.equal((await activityOf(database, partner, 'key.create')).filter(({ status }) => status === 201).length, 1);
  }
});

test('a key that was revoked makes room for another', async () => {
  const { partner, admin } = await newPartner();
  for (let more = 0; more < 4; more += 1) assert.equal((await create(admin)).status, 201);
  assert.equal((await create(admin)).code, 'key_limit_reached');
  await revoke(admin, partner.keyId);
  assert.equal((await create(admin)).status, 201);
});

test('a live key is made only after verification, and counts apart', async () => {
  const { partner, admin } = await newPartner();
  // A person gets five codes per hour.
  const live = async (): Promise<ApiAnswer> =>
    create(await signIn(database, partner, { url }), { environment: 'live' });
  const asSuperuser = async (sql: string): Promise<unknown> =>
    asAdmin(database.superuserUrl, async (client) => client.query(sql, [partner.partnerId]));
  assert.deepEqual([(await live()).status, (await live()).code], [403, 'verification_required']);
  await asSuperuser(`insert into kelpie.partner_environments (
    partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id
  ) values ($1, 'live', now(), 'provider_production', 'none', 'none')`);
  assert.equal((await live()).code, 'verification_required');
  await asSuperuser(`update kelpie.partners set verification_status = 'approved' where id = $1`);
  let liveKeyId = '';
  for (let keys = 0; keys < 5; keys += 1) {
    const made = await live();
    liveKeyId = made.id;
    assert.match(textAt(made.json, 'secret'), /^kp_live_[a-f0-9]{48}$/);
    assert.equal(
      textAt((await call({ url, key: textAt(made.json, 'secret') }, '/v1/account')).json, 'environment'),
      'live',
    );
  }
  assert.equal((await live()).code, 'key_limit_reached');
  assert.equal((await create(admin)).status, 201);
  assert.equal((await revoke(admin, liveKeyId)).status, 200);
  assert.equal((await live()).status, 201);
  const [revoked] = (await activityOf(database, partner, 'key.revoke')).map(({ detail }) => detail);
  assert.equal(revoked, liveKeyId);
});

test('a key that works is listed, however many were made and revoked after it', async () => {
  const { partner, admin } = await newPartner();
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.api_keys (id, partner_id, environment, key_prefix, secret_hmac, created_at, revoked_at)
       select id, $1, 'sandbox', 'kp_sandbox_00000000', sha256(uuid_send(id)), now(), now()
       from (select gen_random_uuid() as id from generate_series(1, 250)) revoked`,
      [partner.partnerId],
    ),
  );
  // Before all of them: an id holds when it was made.
  const early = '00000000-0000-7000-8000-000000000000';
  await asAdmin(database.superuserUrl, async (client) =>
    client.query('update kelpie.api_keys set id = $2 where id = $1', [partner.keyId, early]),
  );
  const keys = valueAt((await callAs(admin, '/v1/keys')).json, 'data');
  assert(Array.isArray(keys) && keys.length === 200);
  assert.deepEqual([textAt(keys.at(-1), 'id'), valueAt(keys.at(-1), 'revoked_at')], [early, null]);
});

test('to revoke a key is safe to repeat: it is done once, and told once', async () => {
  const { partner, admin } = await newPartner();
  const answers = await Promise.all(Array.from({ length: 5 }, async () => revoke(admin, partner.keyId)));
  for (const { status, json } of answers) assert.deepEqual([status, json], [200, { id: partner.keyId, revoked: true }]);
  await eventually('no mail waits any more', async () => {
    const { rows } = await asAdmin(database.superuserUrl, async (client) =>
      client.query(`select from kelpie.outgoing_mails where content_encrypted is not null`),
    );
    return rows.length === 0;
  });
  assert.equal(mailsTo(admin.email).length, 1);
});

test("another partner's key, and one that nobody has, are not found", async () => {
  const { admin } = await newPartner();
  const { partner: stranger } = await newPartner();
  for (const id of [stranger.keyId, randomUUID(), 'no-id', '%zz']) {
    const answer = await revoke(admin, id);
    assert.deepEqual([answer.status, answer.code], [404, 'not_found'], id);
  }
  assert.equal((await call({ url, key: stranger.key }, '/v1/account')).status, 200);
});

test('a viewer and a key neither make keys nor revoke them', async () => {
  const { partner } = await newPartner();
  const viewer = await signIn(database, partner, { url, role: 'viewer' });
  for (const answer of [await create(viewer), await revoke(viewer, partner.keyId)])
    assert.deepEqual([answer.status, answer.code], [403, 'api_key_required']);
  const byKey = { url, key: partner.key };
  for (const answer of [
    await call(byKey, '/v1/keys', { method: 'POST', body: { environment: 'sandbox' } }),
    await call(byKey, `/v1/keys/${partner.keyId}`, { method: 'DELETE' }),
  ])
    assert.deepEqual([answer.status, answer.code], [403, 'session_required']);
  assert.equal((await call(byKey, '/v1/account')).status, 200);
});

interface Asked {
  sentAt: number;
  status: number;
}

interface Lane {
  client: { url: string; key: string };
  reads: Asked[];
  payouts: Asked[];
}

/** Asks again and again, for as long as it is told to. */
async function keepAsking(isOver: () => boolean, ask: () => Promise<ApiAnswer>, asked: Asked[]): Promise<void> {
  while (!isOver()) {
    const sentAt = performance.now();
    asked.push({ sentAt, status: (await ask()).status });
  }
}

test('faults 47: a revoked key pays nothing from then on, and reads nothing a second later, on each of three busy processes', async () => {
  const { partner, admin } = await newPartner();
  let revokedAt = Infinity;
  const isOver = (): boolean => performance.now() > revokedAt + 1_500;
  const lanes = apis.map(({ url: at }): Lane => ({ client: { url: at, key: partner.key }, reads: [], payouts: [] }));
  const traffic = lanes.flatMap(({ client, reads, payouts }) => [
    keepAsking(isOver, async () => call(client, '/v1/account'), reads),
    keepAsking(isOver, async () => createPayout(client), payouts),
  ]);
  await eventually('each has read and paid', async () =>
    lanes.every(({ reads, payouts }) => Math.min(reads.length, payouts.length) >= 10),
  );
  assert.equal((await revoke(admin, partner.keyId)).status, 200);
  revokedAt = performance.now();
  await Promise.all(traffic);
  for (const { reads, payouts } of lanes) {
    assert.deepEqual([reads[0]?.status, payouts[0]?.status], [200, 201]);
    const latePayouts = payouts.filter(({ sentAt }) => sentAt > revokedAt);
    const lateReads = reads.filter(({ sentAt }) => sentAt > revokedAt + 1_000);
    assert(latePayouts.length > 0 && lateReads.length > 0);
    for (const { status } of [...latePayouts, ...lateReads]) assert.equal(status, 401);
  }
  await assertBooksHold(database);
});
