import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { asSecondPerson, kelpieAdmin } from '../app/commands/kelpie-admin.ts';
import { activityOf } from '../activity/recorded-activity.ts';
import { confirmPlantedAddresses } from '../harness/confirmed-addresses.ts';
import { call, createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { confirming, withCode } from '../harness/confirming.ts';
import { waitingMails } from '../harness/mailed-code.ts';
import type { TestPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { startWorld } from '../harness/world.ts';

// What a thief can do with an admin's session, and what the real admins learn of it and can do about it.

const clock = createTestClock();
const env = { KELPIE_TEST_CLOCK_FILE: clock.file };
const world = await startWorld({ environment: 'live', env });
const { database } = world;
// Emails that a command causes lead to the dashboard.
const operatorEnv = { ...env, KELPIE_PUBLIC_URL: 'https://api.kelpie.test' };
const confirmed = confirming(database);

interface Business {
  partner: TestPartner;
  slug: string;
  alice: Person;
  bob: Person;
}

async function asSuperuser(sql: string, values: readonly unknown[]): Promise<object[]> {
  const { rows } = await asAdmin(database.superuserUrl, async (client) => client.query<object>(sql, [...values]));
  return rows;
}

/** A business that pays, with two admins and two addresses. */
async function openBusiness(): Promise<Business> {
  const partner = await world.addPartner();
  await asSuperuser(
    `update kelpie.partners set verification_status = 'approved', contact_email = 'ops-' || slug || '@acme.test',
       billing_email = 'bills-' || slug || '@acme.test' where id = $1`,
    [partner.partnerId],
  );
  await confirmPlantedAddresses(database, partner.partnerId);
  const { url } = world.api;
  const [alice, bob] = [await signIn(database, partner, { url }), await signIn(database, partner, { url })];
  return { partner, slug: `p-${partner.partnerId.slice(-12)}`, alice, bob };
}

interface Act {
  path: string;
  request: { method: string; body?: object };
}

const member = (email: string): string => `/v1/members/${encodeURIComponent(email)}`;
const inviteAdmin = (email: string): Act => ({
  path: '/v1/members',
  request: { method: 'POST', body: { email, role: 'admin' } },
});
const demote = ({ email }: Person): Act => ({
  path: member(email),
  request: { method: 'PATCH', body: { role: 'viewer' } },
});
const remove = ({ email }: Person): Act => ({ path: member(email), request: { method: 'DELETE' } });
const moveAddresses = (email: string): Act => ({
  path: '/v1/account?environment=live',
  request: { method: 'PATCH', body: { contact_email: email, billing_email: email } },
});
const createLiveKey: Act = { path: '/v1/keys', request: { method: 'POST', body: { environment: 'live' } } };

async function perform(person: Person, { path, request }: Act): Promise<ApiAnswer> {
  return confirmed.call(person, path, request);
}

async function stateOf({ partner }: Business): Promise<object[]> {
  return asSuperuser(
    `select p.contact_email, p.billing_email,
       (select count(*)::int from kelpie.api_keys k where k.partner_id = p.id) as keys,
       (select array_agg(m.email || ' ' || m.role order by m.email) from kelpie.members m where m.partner_id = p.id) as people
     from kelpie.partners p where p.id = $1`,
    [partner.partnerId],
  );
}

async function kindsTo(email: string, kinds: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    kinds.map(async (kind) => ((await waitingMails(database, { to: email, kind })).length === 0 ? [] : [kind])),
  );
  return found.flat();
}

/** The token of the link in the newest email of that kind. */
async function tokenOf({ email }: Pick<Person, 'email'>, kind: string): Promise<string> {
  const [mail] = await waitingMails(database, { to: email, kind });
  const [, token] = /This wasn't me\n\S+\/not-me#(\S+)\n/.exec(mail?.text ?? '') ?? [];
  assert(token !== undefined, mail?.text ?? `no ${kind} to ${email}`);
  return token;
}

async function freeze(token: string): Promise<ApiAnswer> {
  return call({ url: world.api.url, key: null }, '/v1/auth/freeze', { method: 'POST', body: { token } });
}

test('faults 64: a stolen session alone creates no live key and no admin, removes nobody and moves no address', async () => {
  const business = await openBusiness();
  const { alice, bob } = business;
  const before = await stateOf(business);
  const mallory = 'mallory@elsewhere.test';
  const acts = [createLiveKey, inviteAdmin(mallory), demote(bob), remove(bob), moveAddresses(mallory)];
  for (const { path, request } of acts) {
    const asked = await callAs(alice, path, request);
    assert.deepEqual([asked.status, asked.code], [422, 'confirmation_required'], asked.text);
    const guessed = await callAs(alice, path, withCode(request, '000000'));
    assert.equal(guessed.code, 'invalid_confirm_code', guessed.text);
  }
  assert.deepEqual(await stateOf(business), before);
  // Each code went to the real admin, and says what somebody tries.
  const codes = await waitingMails(database, { to: alice.email, kind: 'confirm-act' });
  assert.equal(codes.length, acts.length);
  assert(codes.some(({ text }) => text.replaceAll(/\s+/g, ' ').includes(`invite ${mallory} to Partner as an admin`)));
});

test('faults 64: a thief with the mailbox too can hide nothing: all who were admins, and an old address, are emailed', async () => {
  const business = await openBusiness();
  const { alice, bob, partner, slug } = business;
  const invited = await perform(alice, inviteAdmin('mallory-2@elsewhere.test'));
  assert.equal(invited.status, 201, invited.text);
  const mallory = await signIn(database, partner, { url: world.api.url, email: 'mallory-2@elsewhere.test' });
  for (const act of [moveAddresses(mallory.email), demote(bob), remove(alice)]) {
    const done = await perform(mallory, act);
    assert.equal(done.status, 200, done.text);
  }
  assert.equal((await perform(mallory, createLiveKey)).status, 201);
  const all = ['member-invited', 'addresses-changed', 'role-changed', 'member-removed', 'key-created'];
  assert.deepEqual(await kindsTo(alice.email, all), all.slice(0, 4));
  assert.deepEqual(await kindsTo(bob.email, all), all.slice(0, 3));
  assert.deepEqual(await kindsTo(mallory.email, all), all.slice(1));
  for (const name of ['ops', 'bills'])
    assert.deepEqual(await kindsTo(`${name}-${slug}@acme.test`, all), ['addresses-changed']);
  // Neither is an admin any more: the page then says to contact support.
  for (const token of [await tokenOf(alice, 'member-removed'), await tokenOf(bob, 'role-changed')]) {
    const refused = await freeze(token);
    assert.deepEqual([refused.status, refused.code], [403, 'api_key_required'], refused.text);
    assert.match(textAt(refused.json, 'error.message'), /support@/);
  }
  await restore(slug, alice.email);
  assert.deepEqual(await kindsTo(alice.email, ['member-restored']), ['member-restored']);
  assert.deepEqual(await kindsTo(mallory.email, ['member-restored']), ['member-restored']);
  // Judged when it is used: the same link works now.
  assert.equal((await freeze(await tokenOf(alice, 'member-removed'))).status, 200);
});

/** Two operators put an admin back. */
async function restore(slug: string, email: string): Promise<void> {
  const args = ['members', 'restore', slug, email, '--reason', 'checked by phone', '--json'];
  const proposed = await kelpieAdmin(database, args, operatorEnv);
  assert.equal(proposed.code, 0, proposed.said);
  const id = textAt(proposed.data(), 'id');
  const alone = await kelpieAdmin(database, ['approvals', 'approve', id, '--json'], operatorEnv);
  assert.equal(textAt(alone.json(), 'error.code'), 'second_operator_required');
  await approve(id);
}

async function approve(id: string): Promise<void> {
  const approval = await kelpieAdmin(database, ['approvals', 'approve', id, '--json'], {
    ...operatorEnv,
    ...asSecondPerson(database),
  });
  assert.equal(approval.code, 0, approval.said);
}

test('an admin freezes live by the link in an email; operators lift it together', async () => {
  const { partner, alice, bob, slug } = await openBusiness();
  const client = { url: world.api.url, key: partner.key };
  const order = payoutBody({ amount_gbp: '5.00' });
  assert.equal((await createPayout(client, order)).status, 201);
  assert.equal((await perform(alice, createLiveKey)).status, 201);
  const token = await tokenOf(bob, 'key-created');
  const frozen = await freeze(token);
  assert.deepEqual(frozen.json, { object: 'freeze', account: 'Partner', frozen: true });
  const refused = await createPayout(client, order);
  assert.deepEqual([refused.status, refused.code], [403, 'partner_not_active'], refused.text);
  // Safe to repeat, and emailed once.
  assert.equal((await freeze(token)).status, 200);
  assert.equal((await freeze(await tokenOf(alice, 'key-created'))).status, 200);
  for (const { email } of [alice, bob]) {
    const [mail, ...more] = await waitingMails(database, { to: email, kind: 'live-frozen' });
    assert(mail !== undefined && more.length === 0, email);
    assert(mail.text.includes(bob.email), mail.text);
  }
  const [entry] = await activityOf(database, partner, 'account.freeze');
  assert.deepEqual(entry, {
    id: frozen.headers.get('request-id'),
    status: 200,
    environment: 'live',
    by: bob.email,
    detail: null,
  });
  const proposed = await kelpieAdmin(
    database,
    ['partners', 'unfreeze', slug, '--reason', 'all is well', '--json'],
    env,
  );
  assert.equal((await createPayout(client, order)).status, 403);
  await approve(textAt(proposed.data(), 'id'));
  assert.equal((await createPayout(client, order)).status, 201);
});

test('a link freezes nothing once it is seven days old, or if anything in it was changed', async (t) => {
  const { partner, alice } = await openBusiness();
  assert.equal((await perform(alice, createLiveKey)).status, 201);
  const token = await tokenOf(alice, 'key-created');
  t.after(() => clock.move(-7 * 24 * 3_600_000));
  clock.move(7 * 24 * 3_600_000);
  for (const bad of [token, token.replace(/^.{4}/, 'AAAA'), 'none']) {
    const refused = await freeze(bad);
    assert.deepEqual([refused.status, refused.code], [401, 'invalid_code'], refused.text);
  }
  const blocks = await asSuperuser('select from kelpie.payment_blocks where partner_id = $1', [partner.partnerId]);
  assert.equal(blocks.length, 0);
});

test('a suspended or closed partner gains no keys and no people, and can still lose both', async () => {
  for (const status of ['suspended', 'closed']) {
    const { partner, alice, bob } = await openBusiness();
    const viewer = await signIn(database, partner, { url: world.api.url, role: 'viewer' });
    await asSuperuser(
      `update kelpie.partners set status = $2, closed_at = case $2 when 'closed' then now() end where id = $1`,
      [partner.partnerId, status],
    );
    const promote: Act = { path: member(viewer.email), request: { method: 'PATCH', body: { role: 'admin' } } };
    const inviteViewer: Act = {
      path: '/v1/members',
      request: { method: 'POST', body: { email: 'new@acme.test', role: 'viewer' } },
    };
    for (const { path, request } of [createLiveKey, inviteViewer, inviteAdmin('new@acme.test'), promote]) {
      const refused = await callAs(alice, path, request);
      assert.deepEqual([refused.status, refused.code], [403, 'partner_not_active'], refused.text);
    }
    assert.deepEqual(await waitingMails(database, { to: alice.email, kind: 'confirm-act' }), []);
    assert.equal((await callAs(alice, `/v1/keys/${partner.keyId}`, { method: 'DELETE' })).status, 200);
    assert.equal((await perform(alice, demote(bob))).status, 200);
    assert.equal((await perform(alice, remove(viewer))).status, 200);
  }
});
