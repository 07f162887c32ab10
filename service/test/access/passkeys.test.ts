import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { asSecondPerson, kelpieAdmin } from '../app/commands/kelpie-admin.ts';
import { createAuthenticator } from '../harness/authenticator.ts';
import { createTestClock } from '../harness/clock.ts';
import { payoutBody } from '../harness/client.ts';
import { confirming, withCode } from '../harness/confirming.ts';
import { mailedCode, waitingMails } from '../harness/mailed-code.ts';
import type { TestPartner } from '../harness/partners.ts';
import {
  addFirst,
  beginStep,
  callProven,
  challengeIn,
  challengeOf,
  completeStep,
  prove,
  type Request,
} from '../harness/passkeys.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { cookieOf, giveCode, plantCodes } from '../harness/sign-in.ts';
import { startWorld } from '../harness/world.ts';

// What a passkey opens, what it takes to have one, and what a mailbox is worth beside it.

const origin = 'http://api.kelpie.test';
const clock = createTestClock();
const env = { KELPIE_TEST_CLOCK_FILE: clock.file, KELPIE_PUBLIC_URL: origin };
const world = await startWorld({ environment: 'live', env });
const { database } = world;
const confirmed = confirming(database);
const { url } = world.api;

async function sql(text: string, ...values: unknown[]): Promise<object[]> {
  const { rows } = await asAdmin(database.superuserUrl, async (client) => client.query<object>(text, values));
  return rows;
}

async function newAdmin(partner?: TestPartner): Promise<Person> {
  return signIn(database, partner ?? (await world.addPartner()), { url });
}

/** What the mailbox alone gets: the answer to the emailed code, and the session that it opens. */
async function byMailbox({ email, partnerId }: Person) {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  await plantCodes(database, [{ email, code }]);
  const answer = await giveCode(url, { email, code });
  const [session] = answer.status < 300 ? [{ url, cookie: cookieOf(answer), email, partnerId, sessionId: '' }] : [];
  assert(session !== undefined, answer.text);
  return { answer, session };
}

const inviteAdmin: Request = { method: 'POST', body: { email: 'grace@people.test', role: 'admin' } };
const addSecond: Request = { method: 'POST', body: {} };
const require = (required: boolean): Request => ({ method: 'PATCH', body: { required } });

test('the first passkey takes an emailed code, its person is emailed, and it is listed, renamed and exported', async () => {
  const person = await newAdmin();
  await addFirst(person, { confirmed, origin });
  assert.equal((await waitingMails(database, { to: person.email, kind: 'passkey-added' })).length, 1);
  const [passkey] = listAt((await callAs(person, '/v1/passkeys')).json, 'data');
  assert.deepEqual([textAt(passkey, 'name'), valueAt(passkey, 'last_used_at')], ['Laptop', null]);
  const path = `/v1/passkeys/${textAt(passkey, 'id')}`;
  const renamed = await callAs(person, path, { method: 'PATCH', body: { name: 'Phone' } });
  assert.equal(textAt(renamed.json, 'name'), 'Phone');
  const other = await newAdmin();
  assert.equal((await callAs(other, path, { method: 'PATCH', body: { name: 'Mine' } })).status, 404);
  assert.equal((await callAs(other, path, { method: 'DELETE' })).status, 404);
  const exported = await kelpieAdmin(database, ['people', 'export', person.email, '--reason', 'asked', '--json']);
  assert.match(exported.said, /"name": ?"Phone"/);
});

test('after the emailed code a passkey is asked for, and until it is used the session opens nothing', async () => {
  const person = await newAdmin();
  const authenticator = await addFirst(person, { confirmed, origin });
  const { answer, session } = await byMailbox(person);
  assert.equal(answer.status, 202, answer.text);
  assert.deepEqual(answer.json, { object: 'passkey_step', ceremony: 'use' });
  for (const path of ['/v1/auth/session', '/v1/members', '/v1/passkeys'])
    assert.equal((await callAs(session, path)).status, 401, path);
  assert.equal((await callAs(session, '/v1/passkey-options', addSecond)).status, 401);
  const options = await beginStep(session);
  const opened = await completeStep(session, { use: authenticator.get(challengeIn(options)) });
  assert.equal(opened.status, 200, opened.text);
  assert.equal((await callAs(session, '/v1/members')).status, 200);
  const events = listAt((await callAs(session, '/v1/security-events')).json, 'data');
  assert(events.some((event) => textAt(event, 'action') === 'login.passkey'));
});

test('the first passkey closes the other sessions of its person until each has used it', async () => {
  const person = await newAdmin();
  const before = await signIn(database, person, { url, email: person.email });
  const authenticator = await addFirst(person, { confirmed, origin });
  await eventually('it is closed', async () => (await callAs(before, '/v1/members')).status === 401);
  assert.equal((await callAs(person, '/v1/members')).status, 200);
  const options = await beginStep(before);
  assert.equal((await completeStep(before, { use: authenticator.get(challengeIn(options)) })).status, 200);
  assert.equal((await callAs(before, '/v1/members')).status, 200);
});

test('faults 49: what a passkey signed counts once, for five minutes, and in no other session or place', async () => {
  const person = await newAdmin();
  const authenticator = await addFirst(person, { confirmed, origin });
  const { session } = await byMailbox(person);
  const ask = async () => challengeIn(await beginStep(session));
  const refused = async (what: string, body: object) => {
    const answer = await completeStep(session, body);
    assert.deepEqual([answer.status, answer.code], [422, 'invalid_passkey'], `${what}: ${answer.text}`);
  };
  await refused('another origin', { use: authenticator.get(await ask(), { origin: 'https://evil.example' }) });
  await refused('another relying party', { use: authenticator.get(await ask(), { rpId: 'evil.example' }) });
  await refused('no user verification', { use: authenticator.get(await ask(), { isUserVerified: false }) });
  await refused('a challenge of its own', {
    use: authenticator.get(await ask(), { challenge: Buffer.alloc(32, 7).toString('base64url') }),
  });
  const stranger = await addFirst(await newAdmin(), { confirmed, origin });
  await refused("another person's passkey", { use: stranger.get(await ask()) });
  await refused('a first passkey beside others', {
    add: { name: 'Thief', credential: createAuthenticator(origin).create(await ask()) },
  });
  const elsewhere = await byMailbox(person);
  await refused("another session's challenge", {
    use: authenticator.get(challengeIn(await beginStep(elsewhere.session))),
  });
  const late = authenticator.get(await ask());
  clock.move(5 * 60_000);
  await refused('after five minutes', { use: late });
  const signed = authenticator.get(await ask());
  assert.equal((await completeStep(session, { use: signed })).status, 200);
  const again = await byMailbox(person);
  await beginStep(again.session);
  const replayed = await completeStep(again.session, { use: signed });
  assert.deepEqual([replayed.status, replayed.code], [422, 'invalid_passkey']);
  const copied = authenticator.get(challengeIn(await beginStep(again.session)), { counter: 1 });
  assert.equal((await completeStep(again.session, { use: copied })).code, 'invalid_passkey');
});

test('acts take the passkey in place of a code: none is emailed, and none is accepted', async () => {
  const person = await newAdmin();
  const authenticator = await addFirst(person, { confirmed, origin });
  const mailed = await waitingMails(database, { to: person.email, kind: 'confirm-act' });
  const refused = await callAs(person, '/v1/members', inviteAdmin);
  const signed = authenticator.get(challengeOf(refused));
  assert.equal((await waitingMails(database, { to: person.email, kind: 'confirm-act' })).length, mailed.length);
  const guess = await callAs(person, '/v1/members', withCode(inviteAdmin, '123456'));
  assert.equal(guess.code, 'invalid_confirm_code');
  assert.equal((await prove(person, signed)).status, 200);
  assert.equal((await prove(person, signed)).code, 'invalid_passkey');
  const moved = { method: 'POST', body: { email: 'mallory@evil.example', role: 'admin' } };
  assert.equal((await callAs(person, '/v1/members', moved)).code, 'confirmation_required');
  assert.equal((await callAs(person, '/v1/members', inviteAdmin)).status, 201);
  const again = { method: 'DELETE' };
  const removed = await callProven(person, authenticator, '/v1/members/grace%40people.test', again);
  assert.equal(removed.status, 200, removed.text);
});

test('a live payout takes both the emailed code and the passkey', async () => {
  const person = await newAdmin();
  const authenticator = await addFirst(person, { confirmed, origin });
  const headers = { 'idempotency-key': `passkey-${person.sessionId}`, 'kelpie-account': person.partnerId };
  const payout = { method: 'POST', body: payoutBody({ amount_gbp: '10.00' }), headers };
  const path = '/v1/payouts?environment=live';
  const refused = await callAs(person, path, payout);
  const asked = challengeOf(refused);
  const code = await mailedCode(database, { to: person.email, kind: 'confirm-payout' });
  assert.equal((await callAs(person, path, withCode(payout, code))).code, 'invalid_confirm_code');
  assert.equal((await prove(person, authenticator.get(asked))).status, 200);
  const wrong = code === '000000' ? '000001' : '000000';
  assert.equal((await callAs(person, path, withCode(payout, wrong))).code, 'invalid_confirm_code');
  const paid = await callAs(person, path, withCode(payout, code));
  assert.equal(paid.status, 201, paid.text);
});

test('a further passkey takes the first one, and the last one of a person can be removed with it', async () => {
  const person = await newAdmin();
  const authenticator = await addFirst(person, { confirmed, origin });
  const options = await callProven(person, authenticator, '/v1/passkey-options', addSecond);
  const second = createAuthenticator(origin);
  const body = { name: 'Phone', credential: second.create(challengeIn(options)) };
  assert.equal((await callAs(person, '/v1/passkeys', { method: 'POST', body })).status, 201);
  assert.equal((await callAs(person, '/v1/passkeys', { method: 'POST', body })).code, 'invalid_passkey');
  const ids = listAt((await callAs(person, '/v1/passkeys')).json, 'data').map((each) => textAt(each, 'id'));
  assert.equal(ids.length, 2);
  const [one, two] = [`/v1/passkeys/${ids[0] ?? ''}`, `/v1/passkeys/${ids[1] ?? ''}`];
  assert.equal((await callProven(person, second, one, { method: 'DELETE' })).status, 200);
  assert.equal((await callProven(person, second, two, { method: 'DELETE' })).status, 200);
  assert.equal((await byMailbox(person)).answer.status, 200);
});

test('an account requires passkeys once everyone has one, and then the last one stays', async () => {
  const partner = await world.addPartner();
  const [alice, viewer] = [await newAdmin(partner), await signIn(database, partner, { url, role: 'viewer' })];
  const authenticator = await addFirst(alice, { confirmed, origin });
  const early = await callAs(alice, '/v1/passkey-rule', require(true));
  assert.deepEqual([early.status, early.code], [409, 'passkey_required']);
  assert.deepEqual(listAt((await callAs(alice, '/v1/passkey-rule')).json, 'members_without'), [viewer.email]);
  await addFirst(viewer, { confirmed, origin });
  assert.equal((await callAs(viewer, '/v1/passkey-rule', require(true))).status, 403);
  const required = await callProven(alice, authenticator, '/v1/passkey-rule', require(true));
  assert.equal(valueAt(required.json, 'required'), true);
  assert.equal((await waitingMails(database, { to: alice.email, kind: 'passkey-rule' })).length, 1);
  const [only] = listAt((await callAs(alice, '/v1/passkeys')).json, 'data');
  const last = await callAs(alice, `/v1/passkeys/${textAt(only, 'id')}`, { method: 'DELETE' });
  assert.deepEqual([last.status, last.code], [409, 'passkey_required']);
  const optional = await callProven(alice, authenticator, '/v1/passkey-rule', require(false));
  assert.equal(valueAt(optional.json, 'required'), false);
});

test('who is added to an account that requires passkeys adds one at the first sign-in, within 72 hours', async () => {
  const partner = await world.addPartner();
  await sql('update kelpie.partners set require_passkeys = true where id = $1', partner.partnerId);
  const [soon, late] = [await newAdmin(partner), await newAdmin(partner)];
  await sql(`update kelpie.members set created_at = $2 where email = $1`, soon.email, new Date());
  const { answer, session } = await byMailbox(soon);
  assert.deepEqual([answer.status, valueAt(answer.json, 'ceremony')], [202, 'add']);
  const credential = createAuthenticator(origin).create(challengeIn(await beginStep(session)));
  assert.equal((await completeStep(session, { add: { name: 'Laptop', credential } })).status, 200);
  assert.equal((await callAs(session, '/v1/members')).status, 200);
  const past = new Date(new Date().getTime() - 73 * 3_600_000);
  await sql(`update kelpie.members set created_at = $2 where email = $1`, late.email, past);
  const refused = await beginStep((await byMailbox(late)).session);
  assert.deepEqual([refused.status, refused.code], [409, 'passkey_required']);
});

test('faults 49: two operators reset the passkeys of a member, and neither one of them nor a mailbox does', async () => {
  const person = await newAdmin();
  await addFirst(person, { confirmed, origin });
  const run = async (args: string[], by = {}) => kelpieAdmin(database, [...args, '--json'], { ...env, ...by });
  const why = ['--reason', 'identity checked by phone'];
  const proposed = await run(['members', 'reset-passkeys', person.partnerId, person.email, ...why]);
  assert.equal(proposed.code, 0, proposed.said);
  const id = textAt(proposed.data(), 'id');
  const alone = await run(['approvals', 'approve', id]);
  assert.equal(textAt(alone.json(), 'error.code'), 'second_operator_required');
  assert.equal((await byMailbox(person)).answer.status, 202);
  const approved = await run(['approvals', 'approve', id], asSecondPerson(database));
  assert.equal(approved.code, 0, approved.said);
  await eventually('it is closed', async () => (await callAs(person, '/v1/members')).status === 401);
  assert.equal((await waitingMails(database, { to: person.email, kind: 'passkeys-reset' })).length, 1);
  const { answer, session } = await byMailbox(person);
  assert.equal(answer.status, 200);
  await addFirst(session, { confirmed, origin });
});

test('switching to an account in which the person has a passkey asks for it', async () => {
  const person = await newAdmin();
  const there = await signIn(database, await world.addPartner(), { url, email: person.email });
  const authenticator = await addFirst(there, { confirmed, origin });
  const [found] = await sql('select slug from kelpie.partners where id = $1', there.partnerId);
  const slug = textAt(found, 'slug');
  const switched = await callAs(person, '/v1/auth/session', { method: 'PATCH', body: { slug } });
  assert.equal(switched.status, 202, switched.text);
  const session = { ...there, cookie: cookieOf(switched) };
  assert.equal((await callAs(session, '/v1/members')).status, 401);
  const options = await beginStep(session);
  assert.equal((await completeStep(session, { use: authenticator.get(challengeIn(options)) })).status, 200);
  assert.equal((await callAs(session, '/v1/members')).status, 200);
});
