import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
import { callAs, signIn } from '../harness/people.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi, startWorker } from '../harness/processes.ts';
import { addMembers, askCode, cookieOf, giveCode, newAddress, readCode } from '../harness/sign-in.ts';
import { activityOf } from '../activity/recorded-activity.ts';

// Real processes, a real relay, a real mail; the clock can be moved.

const minuteMs = 60_000;
const database = await createTestDatabase();
const clock = createTestClock();
const inbox = await startMailInbox({ smtp: 0, page: 0 });
after(inbox.close);
const env = { KELPIE_TEST_CLOCK_FILE: clock.file };
const [api, second, third, worker] = await Promise.all([
  startApi({ database, env }),
  startApi({ database, env }),
  startApi({ database, env }),
  startWorker({ database, env, mail: inbox }),
]);
const partner = await createSimulatedPartner(database);

async function addMember(): Promise<string> {
  const email = newAddress();
  await addMembers(database, partner.partnerId, [email]);
  return email;
}

async function enter(email: string, number = 1): Promise<{ url: string; cookie: string }> {
  assert.equal((await askCode(api.url, email)).status, 202);
  const answer = await giveCode(api.url, { email, code: await readCode(inbox, email, number) });
  assert.equal(answer.status, 200, answer.text);
  return { url: api.url, cookie: cookieOf(answer) };
}

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<Row>(text, values)).rows);
}

test('a member reads the code from a mail, and signs in with it', async () => {
  const email = await addMember();
  const asked = await askCode(api.url, email.toUpperCase());
  assert.deepEqual([asked.status, asked.json], [202, { object: 'sign_in_code', valid_for_seconds: 600 }]);
  const answer = await giveCode(api.url, { email, code: await readCode(inbox, email) });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual([textAt(answer.json, 'email'), textAt(answer.json, 'role')], [email, 'viewer']);
  assert.deepEqual(
    [valueAt(answer.json, 'account.id'), valueAt(answer.json, 'account.has_live')],
    [partner.partnerId, false],
  );
  assert.equal(textAt(answer.json, 'support_email'), 'support@kelpie.example');
  const [cookie = ''] = answer.headers.getSetCookie();
  assert.match(
    cookie,
    /^__Host-kelpie_session=[a-f0-9]{64}; Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=43200$/,
  );
  const person = { url: api.url, cookie: cookieOf(answer) };
  assert.deepEqual((await callAs(person, '/v1/auth/session')).json, answer.json);
  assert.equal(textAt((await callAs(person, '/v1/account')).json, 'id'), partner.partnerId);
  await eventually('it is in the list of what was asked', async () => {
    const { json } = await callAs(person, '/v1/activity');
    const rows = valueAt(json, 'data');
    return (
      Array.isArray(rows) && rows.some((row) => textAt(row, 'action') === 'login.verify' && textAt(row, 'by') === email)
    );
  });
});

test('a code works once, and a wrong one is noted for the partner of whom it is about', async () => {
  const email = await addMember();
  await askCode(api.url, email);
  const code = await readCode(inbox, email);
  const wrong = await giveCode(api.url, { email, code: code === '000000' ? '000001' : '000000' });
  assert.deepEqual([wrong.status, wrong.code, wrong.headers.getSetCookie()], [401, 'invalid_code', []]);
  const [one, other] = await Promise.all([giveCode(api.url, { email, code }), giveCode(second.url, { email, code })]);
  assert.deepEqual(new Set([one.status, other.status]), new Set([200, 401]));
  assert.equal((await giveCode(api.url, { email, code })).text, wrong.text);
  await eventually('both are noted', async () => {
    const rows = (await activityOf(database, partner, 'login.verify')).filter(({ by }) => by === email);
    return (
      rows.length === 2 &&
      rows.every(({ environment }) => environment === null) &&
      rows[0]?.detail === 'invalid_code' &&
      rows[1]?.status === 200
    );
  });
});

test('only the newest code is good, and no more than five an hour are sent', async () => {
  const email = await addMember();
  for (let asked = 1; asked <= 6; asked += 1) assert.equal((await askCode(api.url, email)).status, 202);
  const codes = await Promise.all([1, 2, 3, 4, 5].map(async (number) => readCode(inbox, email, number)));
  const ordered = await query<{ tries: number }>(
    'select tries from kelpie.sign_in_codes where mail_encrypted is not null',
  );
  assert.deepEqual(ordered, []);
  const answers: number[] = [];
  // The mails may come in any order: exactly one of the five is the newest.
  for (const code of new Set(codes)) answers.push((await giveCode(api.url, { email, code })).status);
  assert.equal(answers.filter((status) => status === 200).length, 1);
  assert.equal(inbox.mails().filter(({ to }) => to.includes(email)).length, 5);
});

test('of twenty codes that are asked for at the same moment, on three processes, five are sent', async () => {
  const email = await addMember();
  const asking = Array.from({ length: 20 }, async (_, place) =>
    askCode([api, second, third][place % 3]?.url ?? '', email),
  );
  for (const { status } of await Promise.all(asking)) assert.equal(status, 202);
  await readCode(inbox, email, 5);
  await untilPolled();
  await untilSent();
  assert.equal(inbox.mails().filter(({ to }) => to.includes(email)).length, 5);
});

test('a code is good for ten minutes', async () => {
  const email = await addMember();
  await askCode(api.url, email);
  const code = await readCode(inbox, email);
  clock.move(10 * minuteMs + 1_000);
  assert.equal((await giveCode(api.url, { email, code })).code, 'invalid_code');
  clock.move(-2_000);
  assert.equal((await giveCode(api.url, { email, code })).status, 200);
});

test('each sign-in has a token of its own, and the session that the browser had before ends', async () => {
  const email = await addMember();
  const first = await enter(email);
  await askCode(api.url, email);
  const code = await readCode(inbox, email, 2);
  const headers = { cookie: first.cookie, 'sec-fetch-site': 'same-origin' };
  const again = cookieOf(await giveCode(api.url, { email, code }, { headers }));
  assert.notEqual(again, first.cookie);
  assert.equal((await callAs({ url: api.url, cookie: again }, '/v1/account')).status, 200);
  await eventually('the old one is refused', async () => (await callAs(first, '/v1/account')).status === 401, 1_500);
});

test('a session ends with a sign-out, at once here and within a second elsewhere', async () => {
  const person = await enter(await addMember());
  const elsewhere = { ...person, url: second.url };
  assert.equal((await callAs(elsewhere, '/v1/account')).status, 200);
  const ended = await callAs(person, '/v1/auth/session', { method: 'DELETE' });
  assert.deepEqual([ended.status, ended.json], [200, { object: 'session', ended: true }]);
  assert.match(ended.headers.getSetCookie()[0] ?? '', /^__Host-kelpie_session=; .*Max-Age=0$/);
  assert.equal((await callAs(person, '/v1/account')).status, 401);
  await eventually('it is refused', async () => (await callAs(elsewhere, '/v1/account')).status === 401, 1_000);
});

test('a session ends after 30 minutes without a request, and not before', async () => {
  const { sessionId, ...person } = await signIn(database, partner, { url: api.url });
  const lastSeen = async () =>
    (await query<{ at: Date }>('select last_seen_at as at from kelpie.sessions where id = $1', [sessionId]))[0]?.at;
  // As of the clock that was moved.
  await query(`update kelpie.sessions set created_at = $2, last_seen_at = $2 where id = $1`, [
    sessionId,
    new Date(Date.now() + 10 * minuteMs),
  ]);
  for (let times = 0; times < 2; times += 1) {
    const before = await lastSeen();
    clock.move(29 * minuteMs);
    await eventually('the use is noted', async () => {
      assert.equal((await callAs(person, '/v1/account')).status, 200);
      return (await lastSeen())?.getTime() !== before?.getTime();
    });
  }
  clock.move(30 * minuteMs + 1_000);
  await eventually('it is refused', async () => (await callAs(person, '/v1/account')).status === 401, 1_500);
});

test('a session ends after 12 hours, however it is used', async () => {
  const email = await addMember();
  const person = await enter(email);
  clock.move(12 * 60 * minuteMs - minuteMs);
  await query(
    `update kelpie.sessions set last_seen_at = created_at + interval '11 hours 58 minutes' where email = $1`,
    [email],
  );
  await eventually('it is still good', async () => (await callAs(person, '/v1/account')).status === 200, 1_500);
  clock.move(2 * minuteMs);
  await eventually('it is refused', async () => (await callAs(person, '/v1/account')).status === 401, 1_500);
});

/** Every mail is at its end. */
async function untilSent(): Promise<void> {
  await eventually('no mail waits any more', async () => {
    const waiting = await query('select from kelpie.outgoing_mails where content_encrypted is not null');
    return waiting.length === 0;
  });
}

/** Whoever asked has been looked at by now. */
async function untilPolled(): Promise<void> {
  await eventually('every code was looked at', async () => {
    const waiting = await query('select 1 from kelpie.sign_in_codes where mail_encrypted is not null');
    return waiting.length === 0;
  });
}

test('an address that is nobody’s is sent nothing, and what was to be sent is forgotten', async () => {
  const email = newAddress();
  assert.equal((await askCode(api.url, email)).status, 202);
  await untilPolled();
  const member = await addMember();
  await askCode(api.url, member);
  await readCode(inbox, member);
  assert.equal(inbox.mails().filter(({ to }) => to.includes(email)).length, 0);
});

test('whoever signs in waits for no mail: the wait would tell that there is one', async () => {
  const email = await addMember();
  await untilSent();
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('begin');
    await client.query('lock table kelpie.outgoing_mails in access exclusive mode');
    await askCode(api.url, email);
    const findWriter = async () => {
      const { rows } = await client.query<{ transaction: string }>(
        `select virtualtransaction as transaction from pg_locks
         where relation = 'kelpie.outgoing_mails'::regclass and not granted`,
      );
      return rows[0]?.transaction;
    };
    const writer = await eventually('the worker is at the mail', findWriter);
    const answer = await giveCode(api.url, { email, code: '000000' });
    assert.deepEqual([answer.status, answer.code], [401, 'invalid_code'], answer.text);
    assert.equal(await findWriter(), writer, 'the worker is still at it');
    await client.query('rollback');
  });
  await readCode(inbox, email);
});

test('a flood of addresses that are nobody’s does not hold up the mail of a member', async () => {
  const member = await addMember();
  await Promise.all(Array.from({ length: 100 }, async () => askCode(second.url, newAddress())));
  const askedAt = performance.now();
  await askCode(api.url, member);
  await readCode(inbox, member);
  const tookMs = performance.now() - askedAt;
  // One job after the other, each for a code of its own, would take most of a minute.
  assert(tookMs < 10_000, `${tookMs} ms`);
  await untilPolled();
});

test('a flood of sign-ups, each of which is mailed, does not hold up the mail of a member', async () => {
  const member = await addMember();
  const signUps = Array.from({ length: 120 }, async () => {
    const body = { email: newAddress(), name: 'Example Ltd', slug: `s-${randomBytes(6).toString('hex')}` };
    return call({ url: second.url, key: null }, '/v1/signup', { method: 'POST', body });
  });
  for (const { status } of await Promise.all(signUps)) assert.equal(status, 202);
  await untilPolled();
  const askedAt = performance.now();
  await askCode(api.url, member);
  await readCode(inbox, member);
  const tookMs = performance.now() - askedAt;
  // Behind all of them it would come after a quarter of a minute.
  assert(tookMs < 7_000, `${tookMs} ms`);
});

test('a member who is removed is refused by each of three processes within a second, under traffic', async () => {
  const { email, cookie } = await signIn(database, partner, { url: api.url });
  await query(`update kelpie.sessions set created_at = $2, last_seen_at = $2 where email = $1`, [
    email,
    new Date(Date.now() + 15 * 60 * minuteMs),
  ]);
  let removedAt = Number.POSITIVE_INFINITY;
  const ask = async (url: string): Promise<{ askedAt: number; status: number }> => {
    const askedAt = performance.now();
    return { askedAt, status: (await callAs({ url, cookie }, '/v1/account')).status };
  };
  const traffic = [api, second, third].map(async ({ url }) => {
    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    while (performance.now() < removedAt + 2_000) answers.push(await ask(url));
    return answers;
  });
  await Promise.all([api, second, third].map(async ({ url }) => assert.equal((await ask(url)).status, 200)));
  await query('delete from kelpie.members where email = $1', [email]);
  removedAt = performance.now();
  for (const answers of await Promise.all(traffic)) {
    const late = answers.filter(({ askedAt }) => askedAt > removedAt + 1_000);
    assert(late.length > 5 && answers.some(({ status }) => status === 200));
    assert.deepEqual(new Set(late.map(({ status }) => status)), new Set([401]));
  }
});

test('neither an address nor a code is in a log or in a job', async () => {
  const said = [api, second, third, worker].map((child) => child.output()).join('\n');
  const jobs = JSON.stringify(await query(`select data, output from pgboss.job`));
  const coded = inbox.mails().filter(({ subject }) => subject.endsWith('code'));
  const codes = coded.map(({ text }) => /\b\d{6}\b/.exec(text)?.[0] ?? '');
  assert(codes.length > 10 && codes.every((code) => code !== ''));
  for (const text of [said, jobs]) {
    assert.doesNotMatch(text, /people\.test|person-/);
    assert.doesNotMatch(text, new RegExp(`\\b(${codes.join('|')})\\b`));
  }
});
