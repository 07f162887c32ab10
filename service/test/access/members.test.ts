import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call, type ApiAnswer } from '../harness/client.ts';
import { confirming, withCode } from '../harness/confirming.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner, type TestPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { defaultLimits, startApi, startWorker } from '../harness/processes.ts';
import { activityOf } from '../activity/recorded-activity.ts';

const database = await createTestDatabase();
const inbox = await startMailInbox({ smtp: 0, page: 0 });
after(inbox.close);
const apis = await Promise.all([startApi({ database }), startApi({ database }), startApi({ database })]);
const [{ url }] = apis;
const worker = await startWorker({ database, mail: inbox });
const confirmed = confirming(database, inbox);

async function newPartner(): Promise<{ partner: TestPartner; admin: Person }> {
  const partner = await createSimulatedPartner(database);
  return { partner, admin: await signIn(database, partner, { url }) };
}

async function invite(admin: Person, email: string, more: object = {}): Promise<ApiAnswer> {
  return confirmed.call(admin, '/v1/members', { method: 'POST', body: { email, role: 'viewer', ...more } });
}

const memberPath = (email: string): string => `/v1/members/${encodeURIComponent(email)}`;

async function change(admin: Person, email: string, role: string): Promise<ApiAnswer> {
  return confirmed.call(admin, memberPath(email), { method: 'PATCH', body: { role } });
}

async function remove(admin: Person, email: string): Promise<ApiAnswer> {
  return confirmed.call(admin, memberPath(email), { method: 'DELETE' });
}

async function listedRoles(person: Person): Promise<Record<string, string>> {
  const { json } = await callAs(person, '/v1/members');
  const data = valueAt(json, 'data');
  assert(Array.isArray(data));
  return Object.fromEntries(data.map((member) => [textAt(member, 'email'), textAt(member, 'role')]));
}

test('whoever is invited is a member, is told by mail, and the invitation is in the activity list', async () => {
  const { partner, admin } = await newPartner();
  const invited = await invite(admin, 'grace@invited.test', { name: 'Grace', role: 'admin' });
  assert.equal(invited.status, 201, invited.text);
  const createdAt = textAt(invited.json, 'created_at');
  assert.deepEqual(invited.json, {
    email: 'grace@invited.test',
    name: 'Grace',
    role: 'admin',
    last_login_at: null,
    created_at: createdAt,
  });
  assert(Math.abs(Date.now() - Date.parse(createdAt)) < 60_000);
  assert.equal((await listedRoles(admin))['grace@invited.test'], 'admin');
  const mail = await inbox.waitForMail('grace@invited.test');
  assert.match(mail.subject, /^You are invited to an account on Kelpie$/);
  // With its short name: whoever is a member elsewhere too is led to this account.
  const link = `http://api.kelpie.test/dashboard/sign-in?account=p-${partner.partnerId.slice(-12)}`;
  assert(mail.text.includes(admin.email) && mail.text.includes(link), mail.text);
  const [row, ...others] = (await activityOf(database, partner, 'member.invite')).filter(
    ({ status }) => status === 201,
  );
  assert.deepEqual(others, []);
  assert.deepEqual(row, {
    id: invited.headers.get('request-id'),
    status: 201,
    environment: null,
    by: admin.email,
    detail: 'grace@invited.test',
  });
});

test('an address is the same however it is typed', async () => {
  const { admin } = await newPartner();
  const invited = await invite(admin, 'Joan.Clarke+Pay@Typed.Test');
  assert.equal(textAt(invited.json, 'email'), 'joan.clarke+pay@typed.test');
  assert.equal((await invite(admin, 'JOAN.clarke+pay@typed.test')).code, 'invalid_request');
  assert.equal((await change(admin, 'Joan.Clarke+PAY@typed.test', 'admin')).status, 200);
  const removed = await remove(admin, 'JOAN.CLARKE+PAY@TYPED.TEST');
  assert.deepEqual(removed.json, { email: 'joan.clarke+pay@typed.test', removed: true });
});

test('an address as long as mails allow serves in a path, and one that is longer is refused', async () => {
  const { admin } = await newPartner();
  const domain = `${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.test`;
  const longest = `${'a'.repeat(64)}@${domain}`;
  assert.equal((await invite(admin, longest)).status, 201);
  assert.equal((await remove(admin, longest)).status, 200);
  const tooLong = await invite(admin, `${'a'.repeat(65)}@${domain}`);
  assert.deepEqual(valueAt(tooLong.json, 'error.details.fields'), [
    { path: 'email', rule: 'must be an email address' },
  ]);
});

test('what is no address is nobody in a path, and is named in a body', async () => {
  const { admin } = await newPartner();
  for (const path of [
    'nobody',
    'a%40b',
    '%20',
    'a%40%40b.test',
    'nobody%40example.test',
    '%zz',
    `a%40${'b'.repeat(300)}`,
  ])
    for (const method of ['PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { body: { role: 'viewer' } } : {};
      const answer = await callAs(admin, `/v1/members/${path}`, { method, ...body });
      assert.deepEqual([answer.status, answer.code], [404, 'not_found'], path);
    }
  for (const body of [
    {},
    { email: 'x', role: 'viewer' },
    { email: 'a@b.test', role: 'owner' },
    { email: 5, role: 'admin' },
  ])
    assert.equal((await callAs(admin, '/v1/members', { method: 'POST', body })).code, 'invalid_request');
  assert.equal((await invite(admin, 'a@b.test', { name: '' })).code, 'invalid_request');
  assert.equal((await invite(admin, 'a@b.test', { more: 1 })).code, 'invalid_request');
  assert.deepEqual(Object.keys(await listedRoles(admin)), [admin.email]);
});

test('there are 200 members at most', async () => {
  const { partner, admin } = await newPartner();
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.members (partner_id, email, role, created_at)
       select $1, 'many-' || n || '@people.test', 'viewer', now() from generate_series(1, 198) n`,
      [partner.partnerId],
    ),
  );
  const answers = await Promise.all(['a', 'b', 'c'].map(async (name) => invite(admin, `${name}@last.test`)));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, 422, 422],
  );
  assert.equal(Object.keys(await listedRoles(admin)).length, 200);
});

test('a partner mails fifty invitations, and then one every half hour: our mails are nobody’s to flood with', async () => {
  const env = { ...defaultLimits, KELPIE_UNVERIFIED_INVITATIONS_PER_DAY: '1000000' };
  const limited = await startApi({ database, env });
  const { admin } = await newPartner();
  const inviter = { ...admin, url: limited.url };
  assert.equal((await invite(inviter, 'no address')).status, 422);
  const answers: ApiAnswer[] = [];
  for (let guest = 0; guest < 51; guest += 1) answers.push(await invite(inviter, `guest-${guest}@flood.test`));
  const last = answers.pop();
  assert(answers.every(({ status }) => status === 201));
  assert.deepEqual([last?.status, last?.code], [429, 'rate_limited']);
  const wait = Number(last?.headers.get('retry-after'));
  assert(wait > 1_600 && wait <= 1_728, `${wait} s`);
});

test('a partner whose business is not verified mails five invitations a day, also if it removes who was invited', async () => {
  const limited = await startApi({ database, env: { KELPIE_UNVERIFIED_INVITATIONS_PER_DAY: '5' } });
  const { admin } = await newPartner();
  const inviter = { ...admin, url: limited.url };
  const answers: ApiAnswer[] = [];
  for (let guest = 0; guest < 6; guest += 1) {
    answers.push(await invite(inviter, `first-${guest}@flood.test`));
    if (guest === 2) {
      await asAdmin(database.superuserUrl, async (client) =>
        client.query(`delete from kelpie.members where email like 'first-%@flood.test'`),
      );
    }
  }
  assert.deepEqual(
    answers.map(({ status, code }) => (status === 201 ? status : code)),
    [201, 201, 201, 201, 201, 'rate_limited'],
  );
});

test('a viewer sees the members and changes none; a key does neither', async () => {
  const { partner, admin } = await newPartner();
  const viewer = await signIn(database, partner, { url, role: 'viewer' });
  assert.deepEqual(await listedRoles(viewer), { [admin.email]: 'admin', [viewer.email]: 'viewer' });
  for (const answer of [
    await invite(viewer, 'friend@example.test'),
    await change(viewer, viewer.email, 'admin'),
    await remove(viewer, admin.email),
  ])
    assert.deepEqual([answer.status, answer.code], [403, 'api_key_required']);
  const list = await call({ url, key: partner.key }, '/v1/members');
  assert.deepEqual([list.status, list.code], [403, 'session_required']);
  assert.deepEqual(await listedRoles(admin), { [admin.email]: 'admin', [viewer.email]: 'viewer' });
});

test("another partner's members are nobody", async () => {
  const { admin } = await newPartner();
  const { admin: stranger } = await newPartner();
  assert.equal((await change(admin, stranger.email, 'viewer')).status, 404);
  assert.equal((await remove(admin, stranger.email)).status, 404);
  assert.deepEqual(await listedRoles(stranger), { [stranger.email]: 'admin' });
});

test('the last admin can neither go nor become a viewer', async () => {
  const { partner, admin } = await newPartner();
  const viewer = await signIn(database, partner, { url, role: 'viewer' });
  for (const answer of [await remove(admin, admin.email), await change(admin, admin.email, 'viewer')])
    assert.deepEqual([answer.status, answer.code], [409, 'last_admin']);
  assert.equal((await change(admin, admin.email, 'admin')).status, 200);
  assert.equal((await change(admin, viewer.email, 'admin')).status, 200);
  const left = await change(admin, admin.email, 'viewer');
  assert.deepEqual([left.status, textAt(left.json, 'role')], [200, 'viewer']);
  const written = await activityOf(database, partner, 'member.change');
  assert.deepEqual(
    written.filter(({ status }) => status === 200).map(({ detail }) => detail),
    [admin.email, viewer.email, admin.email],
  );
});

test('of two admins who remove each other at the same moment, one stays', async () => {
  for (let round = 0; round < 12; round += 1) {
    const { partner, admin: one } = await newPartner();
    const other = await signIn(database, partner, { url: apis[round % 3]?.url ?? url });
    // Both are known before, so that neither is turned away at the door.
    await Promise.all([one, other].map(async (person) => callAs(person, '/v1/members')));
    const act = round % 2 === 0 ? { method: 'DELETE' } : { method: 'PATCH', body: { role: 'viewer' } };
    const codes = [
      await confirmed.ask(one, memberPath(other.email), act),
      await confirmed.ask(other, memberPath(one.email), act),
    ] as const;
    const answers = await Promise.all([
      callAs(one, memberPath(other.email), withCode(act, codes[0])),
      callAs(other, memberPath(one.email), withCode(act, codes[1])),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    );
    assert.equal(answers.find(({ status }) => status === 409)?.code, 'last_admin');
    const { rows } = await asAdmin(database.superuserUrl, async (client) =>
      client.query(`select from kelpie.members where partner_id = $1 and role = 'admin'`, [partner.partnerId]),
    );
    assert.equal(rows.length, 1);
  }
});

test('an admin who was just removed lets nobody in, in the moment in which its session is still remembered', async () => {
  const { partner, admin } = await newPartner();
  const leaving = await signIn(database, partner, { url });
  await signIn(database, partner, { url });
  assert.equal((await callAs(leaving, '/v1/members')).status, 200);
  assert.equal((await remove({ ...admin, url: apis[1].url }, leaving.email)).status, 200);
  for (const answer of [
    await invite(leaving, 'accomplice@example.test', { role: 'admin' }),
    await callAs(leaving, '/v1/keys', { method: 'POST', body: { environment: 'sandbox' } }),
    await callAs(leaving, `/v1/keys/${partner.keyId}`, { method: 'DELETE' }),
    await remove(leaving, admin.email),
    await callAs(leaving, '/v1/account?environment=sandbox', { method: 'PATCH', body: { logo_url: null } }),
  ])
    assert.deepEqual([answer.status, answer.code], [401, 'unauthorized']);
  assert.equal(Object.keys(await listedRoles(admin)).length, 2);
});

test('a removed member is refused on each of three processes within a second, while it asks', async () => {
  const { partner, admin } = await newPartner();
  const leaving = await signIn(database, partner, { url, role: 'viewer' });
  let removedAt = Infinity;
  const asked: { sentAt: number; status: number }[][] = apis.map(() => []);
  const traffic = apis.map(async (api, place) => {
    let sentAt = 0;
    // Until one was sent that has to be refused, however long an answer takes.
    while (sentAt <= removedAt + 1_000) {
      sentAt = performance.now();
      const { status } = await callAs({ ...leaving, url: api.url }, '/v1/account');
      asked[place]?.push({ sentAt, status });
    }
  });
  await eventually('each has answered', async () => asked.every(({ length }) => length >= 10));
  assert.equal((await remove(admin, leaving.email)).status, 200);
  removedAt = performance.now();
  await Promise.all(traffic);
  for (const answers of asked) {
    assert.equal(answers[0]?.status, 200);
    const late = answers.filter(({ sentAt }) => sentAt > removedAt + 1_000);
    assert(late.length > 0);
    assert(late.every(({ status }) => status === 401));
  }
});

test('no address of a person is in a log', async () => {
  const { admin } = await newPartner();
  await invite(admin, 'logged@log.test');
  await change(admin, 'logged@log.test', 'admin');
  await remove(admin, 'logged@log.test');
  await inbox.waitForMail('logged@log.test');
  for (const process of [...apis, worker]) assert.doesNotMatch(process.output(), /(log|people)\.test/);
});
