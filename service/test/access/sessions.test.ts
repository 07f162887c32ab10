import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { payoutBody, type ApiAnswer } from '../harness/client.ts';
import { confirming } from '../harness/confirming.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner, type TestPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { startApi } from '../harness/processes.ts';
import { newAddress } from '../harness/sign-in.ts';
import { kelpieAdmin } from '../app/commands/kelpie-admin.ts';

const database = await createTestDatabase();
const [{ url }, second] = await Promise.all([startApi({ database }), startApi({ database })]);
const confirmed = confirming(database);

interface Team {
  partner: TestPartner;
  admin: Person;
  viewer: Person;
}

async function newTeam(): Promise<Team> {
  const partner = await createSimulatedPartner(database);
  const admin = await signIn(database, partner, { url });
  return { partner, admin, viewer: await signIn(database, partner, { url, role: 'viewer' }) };
}

async function listed(person: Person): Promise<unknown[]> {
  const { status, json, text } = await callAs(person, '/v1/auth/sessions');
  assert.equal(status, 200, text);
  return listAt(json, 'data');
}

function idsOf(sessions: unknown[]): Set<string> {
  return new Set(sessions.map((session) => textAt(session, 'id')));
}

async function end(person: Person, id: string): Promise<ApiAnswer> {
  return callAs(person, `/v1/auth/sessions/${id}`, { method: 'DELETE' });
}

async function endAll(person: Person, of: string): Promise<ApiAnswer> {
  return callAs(person, `/v1/auth/sessions?of=${of}`, { method: 'DELETE' });
}

async function isOpen(person: Person, at = url): Promise<boolean> {
  return (await callAs({ ...person, url: at }, '/v1/account')).status === 200;
}

/** On both processes, within a second. */
async function assertEnds(...people: Person[]): Promise<void> {
  for (const person of people)
    for (const at of [url, second.url])
      await eventually('the session is refused', async () => !(await isOpen(person, at)), 1_500);
}

test('an admin sees the sessions of everybody in the account, a viewer their own, and nobody those of another', async () => {
  const { partner, admin, viewer } = await newTeam();
  const elsewhere = await newTeam();
  const again = await signIn(database, partner, { url, role: 'viewer', email: viewer.email });
  assert.deepEqual(idsOf(await listed(admin)), new Set([admin.sessionId, viewer.sessionId, again.sessionId]));
  assert.deepEqual(idsOf(await listed(viewer)), new Set([viewer.sessionId, again.sessionId]));
  assert.deepEqual(idsOf(await listed(elsewhere.viewer)), new Set([elsewhere.viewer.sessionId]));
  const current = (await listed(viewer)).filter((session) => valueAt(session, 'is_current') === true);
  assert.deepEqual([...idsOf(current)], [viewer.sessionId]);
});

test('a person ends a session of their own without a code, everywhere within a second, and a repeat is well', async () => {
  const { partner, viewer } = await newTeam();
  const stolen = await signIn(database, partner, { url, role: 'viewer', email: viewer.email });
  assert(await isOpen(stolen, second.url));
  const ended = await end(viewer, stolen.sessionId);
  assert.deepEqual([ended.status, ended.json], [200, { id: stolen.sessionId, ended: true }]);
  await assertEnds(stolen);
  assert.equal((await end(viewer, stolen.sessionId)).status, 200);
  assert(await isOpen(viewer));
});

test('ending the session that one is in signs out at once', async () => {
  const { viewer } = await newTeam();
  const ended = await end(viewer, viewer.sessionId);
  assert.match(ended.headers.getSetCookie()[0] ?? '', /^__Host-kelpie_session=; .*Max-Age=0$/);
  assert.equal(await isOpen(viewer), false);
});

test('an admin ends the session of another with a code for that session alone', async () => {
  const { partner, admin, viewer } = await newTeam();
  const other = await signIn(database, partner, { url, role: 'viewer' });
  const code = await confirmed.ask(admin, `/v1/auth/sessions/${viewer.sessionId}`, { method: 'DELETE' });
  const body = { confirm_code: code };
  const moved = await callAs(admin, `/v1/auth/sessions/${other.sessionId}`, { method: 'DELETE', body });
  assert.equal(moved.code, 'invalid_confirm_code');
  assert((await isOpen(viewer)) && (await isOpen(other)));
  const ended = await callAs(admin, `/v1/auth/sessions/${viewer.sessionId}`, { method: 'DELETE', body });
  assert.equal(ended.status, 200, ended.text);
  await assertEnds(viewer);
  assert(await isOpen(other));
});

test("a viewer can't end the session of another, nor anybody one of another account, and neither is told of it", async () => {
  const { admin, viewer } = await newTeam();
  const elsewhere = await newTeam();
  for (const [person, id] of [
    [viewer, admin.sessionId],
    [elsewhere.admin, admin.sessionId],
    [admin, randomUUID()],
  ] as const)
    assert.deepEqual((await end(person, id)).code, 'not_found');
  assert.equal((await endAll(viewer, 'everyone')).code, 'api_key_required');
  assert((await isOpen(admin)) && (await isOpen(viewer)));
});

test('all of one’s own sessions end in every account but the one that asks; those of others stay', async () => {
  const [here, there] = [await newTeam(), await newTeam()];
  const email = newAddress();
  const open = async (partner: TestPartner) => signIn(database, partner, { url, role: 'viewer', email });
  const [asking, ...others] = [await open(here.partner), await open(here.partner), await open(there.partner)];
  assert(asking !== undefined);
  const ended = await endAll(asking, 'me');
  assert.deepEqual([ended.status, ended.json], [200, { object: 'sessions', ended: 2 }]);
  await assertEnds(...others);
  for (const person of [asking, here.admin, there.admin]) assert(await isOpen(person));
  for (const { admin } of [here, there]) {
    const { json } = await callAs(admin, '/v1/security-events?action=session.end_all');
    assert.deepEqual(
      listAt(json, 'data').map((event) => [valueAt(event, 'by'), valueAt(event, 'detail')]),
      [[email, 'me']],
    );
  }
});

test('everybody’s sessions end by an admin with a code, but for the one that asks, and no other account’s', async () => {
  const { partner, admin, viewer } = await newTeam();
  const elsewhere = await newTeam();
  const own = await signIn(database, partner, { url, email: admin.email });
  const refused = await endAll(admin, 'everyone');
  assert.equal(refused.code, 'confirmation_required');
  assert(await isOpen(viewer));
  const ended = await confirmed.call(admin, '/v1/auth/sessions?of=everyone', { method: 'DELETE' });
  assert.deepEqual([ended.status, ended.json], [200, { object: 'sessions', ended: 2 }], ended.text);
  await assertEnds(viewer, own);
  assert((await isOpen(admin)) && (await isOpen(elsewhere.viewer)));
});

test('a session that was ended pays nothing from its end on, and ends no others', async () => {
  const { partner, admin } = await newTeam();
  const thief = await signIn(database, partner, { url: second.url, email: admin.email });
  assert(await isOpen(thief, second.url));
  await end(admin, thief.sessionId);
  // Before the other process has noticed: the commit itself looks.
  const headers = { 'idempotency-key': randomUUID() };
  const paid = await callAs(thief, '/v1/payouts?environment=sandbox', { method: 'POST', body: payoutBody(), headers });
  assert.equal(paid.status, 401, paid.text);
  assert.equal((await endAll(thief, 'me')).status, 401);
  assert.equal((await end(thief, admin.sessionId)).status, 401);
  assert(await isOpen(admin));
});

test('an operator ends one session or all of a partner, within a second, and the partner sees it', async () => {
  const { partner, admin, viewer } = await newTeam();
  const elsewhere = await newTeam();
  const why = ['--reason', 'a test'];
  const one = await kelpieAdmin(database, ['sessions', 'end', viewer.sessionId, ...why]);
  assert.equal(one.code, 0, one.said);
  await assertEnds(viewer);
  assert(await isOpen(admin));
  const { json } = await callAs(admin, '/v1/security-events?action=session.end');
  assert.deepEqual(
    listAt(json, 'data').map((event) => [valueAt(event, 'by'), valueAt(event, 'detail')]),
    [['Kelpie support', viewer.sessionId]],
  );
  const all = await kelpieAdmin(database, ['sessions', 'end', '--all', `p-${partner.partnerId.slice(-12)}`, ...why]);
  assert.equal(all.code, 0, all.said);
  await assertEnds(admin);
  assert(await isOpen(elsewhere.admin));
});
