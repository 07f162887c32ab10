import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner, type TestPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { startApi } from '../harness/processes.ts';
import { cookieOf, newAddress } from '../harness/sign-in.ts';

const database = await createTestDatabase();
const { url } = await startApi({ database });

const slugOf = ({ partnerId }: TestPartner): string => `p-${partnerId.slice(-12)}`;

interface Several {
  here: TestPartner;
  there: TestPartner;
  elsewhere: TestPartner;
  /** An admin here, and a viewer there; no member elsewhere. */
  person: Person;
}

async function newPerson(): Promise<Several> {
  const [here, there, elsewhere] = [
    await createSimulatedPartner(database),
    await createSimulatedPartner(database),
    await createSimulatedPartner(database),
  ];
  const email = newAddress();
  await signIn(database, there, { url, email, role: 'viewer' });
  return { here, there, elsewhere, person: await signIn(database, here, { url, email }) };
}

async function enter(person: Pick<Person, 'url' | 'cookie'>, partner: TestPartner): Promise<ApiAnswer> {
  return callAs(person, '/v1/auth/session', { method: 'PATCH', body: { slug: slugOf(partner) } });
}

async function isSignedIn(person: Pick<Person, 'url' | 'cookie'>): Promise<boolean> {
  return (await callAs(person, '/v1/auth/session')).status === 200;
}

test('a person is told of every account of their own, of this one first, and of no other', async () => {
  const { here, there, person } = await newPerson();
  const { json, status } = await callAs(person, '/v1/auth/accounts');
  assert.equal(status, 200);
  const reported = listAt(json, 'data').map((account) => [
    textAt(account, 'slug'),
    textAt(account, 'role'),
    valueAt(account, 'is_current'),
  ]);
  assert.deepEqual(reported, [
    [slugOf(here), 'admin', true],
    [slugOf(there), 'viewer', false],
  ]);
});

test('going to another account is one session for another: its role, its rows, and the old one is over at once', async () => {
  const { there, person } = await newPerson();
  const entered = await enter(person, there);
  assert.equal(entered.status, 200, entered.text);
  assert.deepEqual(
    [valueAt(entered.json, 'account.slug'), valueAt(entered.json, 'role'), valueAt(entered.json, 'email')],
    [slugOf(there), 'viewer', person.email],
  );
  const now = { url, cookie: cookieOf(entered) };
  assert.equal(textAt((await callAs(now, '/v1/account')).json, 'id'), there.partnerId);
  assert.equal((await callAs(now, '/v1/keys', { method: 'POST', body: { environment: 'sandbox' } })).status, 403);
  assert.equal(await isSignedIn(person), false);
});

test('an account that one is no member of is not there, and the session stays', async () => {
  const { elsewhere, person } = await newPerson();
  const refused = await enter(person, elsewhere);
  assert.deepEqual([refused.status, refused.code, refused.headers.getSetCookie()], [404, 'not_found', []]);
  assert.equal(await isSignedIn(person), true);
});

test('who is removed from an account can not go there any more', async () => {
  const { there, person } = await newPerson();
  await asAdmin(database.superuserUrl, async (client) =>
    client.query('delete from kelpie.members where partner_id = $1 and email = $2', [there.partnerId, person.email]),
  );
  assert.equal((await enter(person, there)).status, 404);
  assert.equal(listAt((await callAs(person, '/v1/auth/accounts')).json, 'data').length, 1);
});

test('a session becomes one other, however often it is asked for at once', async () => {
  const { here, there, person } = await newPerson();
  const answers = await Promise.all([there, there, here, there].map(async (partner) => enter(person, partner)));
  const entered = answers.filter(({ status }) => status === 200);
  assert.equal(entered.length, 1, answers.map(({ text }) => text).join('\n'));
});

test('going back and forth makes no session last longer', async () => {
  const { here, there, person } = await newPerson();
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`update kelpie.sessions set created_at = created_at - interval '11 hours' where id = $1`, [
      person.sessionId,
    ]),
  );
  const { json } = await callAs(person, '/v1/auth/session');
  const there1 = await enter(person, there);
  const back = await enter({ url, cookie: cookieOf(there1) }, here);
  assert.equal(textAt(back.json, 'expires_at'), textAt(json, 'expires_at'));
  const [, seconds = ''] = /Max-Age=(\d+)/.exec(back.headers.getSetCookie()[0] ?? '') ?? [];
  assert(Number(seconds) > 3_000 && Number(seconds) <= 3_600, seconds);
});

/** What the account of this person has been told, once that is anything. */
async function recorded(as: Pick<Person, 'url' | 'cookie'>): Promise<unknown[]> {
  return eventually('it is written down', async () => {
    const entries = listAt((await callAs(as, '/v1/activity')).json, 'data');
    const reported = entries.map((entry) => [
      textAt(entry, 'action'),
      textAt(entry, 'by'),
      valueAt(entry, 'environment'),
    ]);
    return reported.length > 0 && reported;
  });
}

test('each account is told who came and who left, and not from where or where to', async () => {
  const { here, there, person } = await newPerson();
  const now = { url, cookie: cookieOf(await enter(person, there)) };
  assert.deepEqual(await recorded(now), [['login.verify', person.email, null]]);
  assert.deepEqual(await recorded(await signIn(database, here, { url })), [['login.end', person.email, null]]);
});

/** What a page sends that was opened for the account of this partner. */
function named(partner: TestPartner): Record<string, string> {
  return { 'kelpie-account': partner.partnerId };
}

test('a page that was opened for one account is refused once the session is of another, and nothing is done', async () => {
  const { here, there, person } = await newPerson();
  assert.equal((await callAs(person, '/v1/account', { headers: named(here) })).status, 200);
  const now = { url, cookie: cookieOf(await enter(person, there)) };
  const key = { 'idempotency-key': 'tab-of-before-1' };
  const paid = await callAs(now, '/v1/payouts?environment=sandbox', {
    method: 'POST',
    body: payoutBody({}),
    headers: { ...named(here), ...key },
  });
  assert.deepEqual([paid.status, paid.code], [409, 'session_changed'], paid.text);
  assert.deepEqual((await callAs(now, '/v1/account', { headers: named(here) })).code, 'session_changed');
  assert.equal((await callAs(now, '/v1/account', { headers: named(there) })).status, 200);
  assert.deepEqual(listAt((await callAs(now, '/v1/payouts')).json, 'data'), []);
});

test('a session that is traded for another takes from the same limit', async () => {
  const few = { KELPIE_REQUESTS_PER_SECOND: '1', KELPIE_REQUESTS_BURST: '8' };
  const limited = await startApi({ database, env: few });
  const { here, there, person } = await newPerson();
  let now = { url: limited.url, cookie: person.cookie };
  const statuses: number[] = [];
  for (let trade = 0; trade < 12; trade += 1) {
    const entered = await enter(now, trade % 2 === 0 ? there : here);
    statuses.push(entered.status, (await callAs(now, '/v1/auth/session')).status);
    if (entered.status === 200) now = { url: limited.url, cookie: cookieOf(entered) };
    statuses.push((await callAs(now, '/v1/account')).status);
  }
  assert(statuses.filter((status) => status === 429).length >= 8, statuses.join(' '));
});
