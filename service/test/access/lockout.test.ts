import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, valueAt } from '@kelpie/dev/json.ts';
import { startMailInbox } from '@kelpie/dev/mail/inbox.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { ApiAnswer } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { callAs } from '../harness/people.ts';
import { startApi, startWorker } from '../harness/processes.ts';
import { addMembers, askCode, cookiesOf, giveCode, newAddress, readCode, setCodes } from '../harness/sign-in.ts';

// A stranger knows the address of a member and has no mailbox: whatever they ask, the member signs in from their own browser.

const database = await createTestDatabase();
const inbox = await startMailInbox({ smtp: 0, page: 0 });
after(inbox.close);
const [{ url }] = await Promise.all([startApi({ database }), startWorker({ database, mail: inbox })]);
const partner = await createSimulatedPartner(database);

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0';

interface Member {
  email: string;
  /** What the browser sends that they signed in from. */
  headers: Record<string, string>;
}

/** The codes that this browser asked for, the oldest first: emails of others' may come in between. */
async function ownCode(email: string, number: number): Promise<string> {
  const mail = await eventually('the code is there', async () =>
    inbox
      .mails()
      .filter(({ to, text }) => to.includes(email) && text.includes('Browser: Firefox on Windows'))
      .toReversed()
      .at(number - 1),
  );
  return /\b\d{6}\b/.exec(mail.text)?.[0] ?? '';
}

/** A member who has signed in once, by a code that was mailed. */
async function newMember(): Promise<Member> {
  const email = newAddress();
  await addMembers(database, partner.partnerId, [email]);
  const headers = { 'user-agent': firefox };
  assert.equal((await askCode(url, email, { headers })).status, 202);
  const answer = await giveCode(url, { email, code: await readCode(inbox, email) }, { headers });
  assert.equal(answer.status, 200, answer.text);
  return { email, headers: { ...headers, cookie: cookiesOf(answer) } };
}

function wrongCode(code: string): string {
  return code === '000000' ? '000001' : '000000';
}

/** Without a mailbox, nothing but wrong guesses. */
async function guess({ email, headers }: Pick<Member, 'email'> & Partial<Member>, times: number): Promise<void> {
  for (let tries = 0; tries < times; tries += 1) {
    const answer = await giveCode(url, { email, code: '000000' }, { headers: headers ?? {} });
    assert.deepEqual([answer.status, answer.code], [401, 'invalid_code']);
  }
}

/** For the second time from their own browser. */
async function signInAgain({ email, headers }: Member): Promise<ApiAnswer> {
  assert.equal((await askCode(url, email, { headers })).status, 202);
  return giveCode(url, { email, code: await ownCode(email, 2) }, { headers });
}

test('faults 65: after 18 requests of a stranger, a member still signs in from their own browser', async () => {
  const member = await newMember();
  for (let round = 0; round < 3; round += 1) {
    await askCode(url, member.email);
    await guess({ email: member.email }, 5);
  }
  const answer = await signInAgain(member);
  assert.equal(answer.status, 200, answer.text);
});

test('faults 65: codes that a stranger asks for take none from the member, and do not replace theirs', async () => {
  const member = await newMember();
  assert.equal((await askCode(url, member.email, { headers: member.headers })).status, 202);
  const code = await readCode(inbox, member.email, 2);
  for (let asked = 0; asked < 7; asked += 1) await askCode(url, member.email);
  // One of the five was asked for by the member at first, when their browser was new.
  await readCode(inbox, member.email, 6);
  const answer = await giveCode(url, { email: member.email, code }, { headers: member.headers });
  assert.equal(answer.status, 200, answer.text);
});

test('the code of a browser works in that browser alone', async () => {
  const member = await newMember();
  await askCode(url, member.email, { headers: member.headers });
  const code = await readCode(inbox, member.email, 2);
  assert.equal((await giveCode(url, { email: member.email, code })).status, 401);
  assert.equal((await giveCode(url, { email: member.email, code }, { headers: member.headers })).status, 200);
});

/** Codes of the member who was made last. */
const ofNewest = 'where email_hmac = (select email_hmac from kelpie.browsers order by created_at desc limit 1)';

test('a browser has five codes per hour and ten wrong guesses per day; a stolen cookie is worth no more', async () => {
  const member = await newMember();
  for (let asked = 0; asked < 7; asked += 1) await askCode(url, member.email, { headers: member.headers });
  await readCode(inbox, member.email, 6);
  await guess(member, 5);
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ of_browser: boolean; codes: number; tries: number }>(
      `select browser_id is not null as of_browser, count(*)::int as codes, sum(tries)::int as tries
       from kelpie.sign_in_codes ${ofNewest} group by 1 order by 1`,
    ),
  );
  assert.deepEqual(rows, [
    { of_browser: false, codes: 1, tries: 1 },
    { of_browser: true, codes: 5, tries: 5 },
  ]);
  // A right code past the ten is refused as a wrong one is.
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`update kelpie.sign_in_codes set tries = 0 ${ofNewest}`),
  );
  await guess(member, 4);
  await setCodes(database, [{ email: member.email, code: '123456' }]);
  const right = { email: member.email, code: '123456' };
  assert.equal((await giveCode(url, { ...right, code: wrongCode('123456') }, member)).status, 401);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`update kelpie.sign_in_codes set tries = 0 ${ofNewest}`),
  );
  assert.equal((await giveCode(url, right, member)).status, 401);
});

test('the cookie of a browser opens nothing, and is worth nothing for another address', async () => {
  const [member, other] = [await newMember(), newAddress()];
  const cookie = /__Host-kelpie_browser=[a-f0-9]{64}/.exec(member.headers['cookie'] ?? '')?.[0] ?? '';
  assert.notEqual(cookie, '');
  assert.equal((await callAs({ url, cookie }, '/v1/auth/session')).status, 401);
  await addMembers(database, partner.partnerId, [other]);
  await askCode(url, other, { headers: { cookie } });
  const code = await readCode(inbox, other);
  // Asked for by a browser that is new to this address, so any browser that is new to it can use it.
  const answer = await giveCode(url, { email: other, code });
  assert.equal(answer.status, 200, answer.text);
});

/** Signs in with this cookie; says which one the browser has then. */
async function enterWith(email: string, cookie: string): Promise<string> {
  await askCode(url, email, { headers: { cookie } });
  const answer = await giveCode(url, { email, code: await readCode(inbox, email) }, { headers: { cookie } });
  assert.match(
    answer.headers.getSetCookie()[1] ?? '',
    /^__Host-kelpie_browser=[a-f0-9]{64}; Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=34560000$/,
  );
  return cookiesOf(answer).split('; ')[1] ?? '';
}

test('a cookie that we did not give out is replaced, and two people can share one that we did', async () => {
  const made = `__Host-kelpie_browser=${'a'.repeat(64)}`;
  const [one, other] = [newAddress(), newAddress()];
  await addMembers(database, partner.partnerId, [one, other]);
  const given = await enterWith(one, made);
  assert.notEqual(given, made);
  assert.equal(await enterWith(other, given), given);
});

test('no more than ten browsers of an address are remembered, the ones used last', async () => {
  const member = await newMember();
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.browsers (id, email_hmac, token_hmac, created_at, last_used_at)
       select gen_random_uuid(), email_hmac, sha256(n::text::bytea), now(), now() - n * interval '1 day'
       from (select email_hmac from kelpie.browsers order by created_at desc limit 1) b, generate_series(1, 12) n`,
    ),
  );
  const headers = { 'user-agent': 'curl/8.5.0' };
  await askCode(url, member.email, { headers });
  await giveCode(url, { email: member.email, code: await readCode(inbox, member.email, 2) }, { headers });
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ browsers: number }>(
      `select count(*)::int as browsers from kelpie.browsers group by email_hmac order by 1 desc limit 1`,
    ),
  );
  assert.equal(rows[0]?.browsers, 10);
});

test('a code names the browser that asked for it; a sign-in from a new browser is emailed, the first of all is not', async () => {
  const member = await newMember();
  const mailsTo = () => inbox.mails().filter(({ to }) => to.includes(member.email));
  assert.match(mailsTo()[0]?.text ?? '', /^Browser: Firefox on Windows$/m);
  assert.match(mailsTo()[0]?.text ?? '', /^Network: 127\.0\.0\.0\/24$/m);
  assert.equal((await signInAgain(member)).status, 200);
  const headers = { 'user-agent': 'curl/8.5.0' };
  await askCode(url, member.email, { headers });
  const code = await readCode(inbox, member.email, 3);
  assert.equal((await giveCode(url, { email: member.email, code }, { headers })).status, 200);
  const mail = await eventually('the email', async () =>
    mailsTo().find(({ subject }) => subject === 'New sign-in to Kelpie'),
  );
  assert.match(mail.text, /^Browser: curl$/m);
  assert.match(mail.text, /\/not-me#\S{20,}/);
  assert.equal(mailsTo().filter(({ subject }) => !subject.endsWith('code')).length, 1);
});

test('sign-ins and refused sign-ins are security events with network and browser, and the sign-out is one', async () => {
  const member = await newMember();
  await askCode(url, member.email, { headers: member.headers });
  const { headers } = member;
  const code = await readCode(inbox, member.email, 2);
  assert.equal((await giveCode(url, { email: member.email, code: wrongCode(code) }, { headers })).status, 401);
  const person = { url, cookie: headers['cookie'] ?? '' };
  const own = await eventually('the refusal is recorded', async () => {
    const { json } = await callAs(person, '/v1/security-events?action=login.verify');
    const events = listAt(json, 'data').filter((event) => valueAt(event, 'by') === member.email);
    return events.length === 2 && events;
  });
  assert.deepEqual(
    own.map((event) => ['status', 'detail', 'network', 'browser'].map((name) => valueAt(event, name))),
    [
      [401, 'invalid_code', '127.0.0.0/24', 'Firefox on Windows'],
      [200, null, '127.0.0.0/24', 'Firefox on Windows'],
    ],
  );
  await callAs(person, '/v1/auth/session', { method: 'DELETE' });
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query(`select from kelpie.security_events where action = 'login.end' and by = $1`, [member.email]),
  );
  assert.equal(rows.length, 1);
});
