import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { call } from '../harness/client.ts';
import { addKey } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import {
  askToStart,
  liveOf,
  openBusiness,
  openRounds,
  show,
  shownBy,
  start,
  startVerifyingWorld,
  subjectsTo,
  untilShown,
  verificationsOf,
  walletsAtBank,
} from './verifying.ts';

const world = await startVerifyingWorld();
const { bank, database, clock } = world;
const lookAround = await openRounds(database);

async function decide(id: string, act: string): Promise<void> {
  await bank.control(`/kyc-links/${id}/${act}`);
}

/** The bank tells of a decision more than once: what wakes it after the answer was written is one more look, and the last. */
async function untilPolledNoMore(partnerId: string): Promise<void> {
  await eventually('it is polled no more', async () => {
    const [newest] = await verificationsOf(database, partnerId);
    return newest?.due_at === null;
  });
}

test('a verification begins with the pages of the bank, and the admin is in the list of what was done', async () => {
  const business = await openBusiness(world);
  assert.deepEqual(await show(business), {
    status: 'not_started',
    provider: null,
    continueUrl: null,
    termsUrl: null,
  });
  const answer = await askToStart(business.admin);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(textAt(answer.json, 'screening'), 'not_screened');
  const [known] = await verificationsOf(database, business.partnerId);
  const page = `${bank.url}/verify/${known?.id}`;
  const expected = {
    status: 'action_required',
    provider: 'not_started',
    continueUrl: page,
    termsUrl: `${page}/terms`,
  };
  assert.deepEqual(shownBy(answer), expected);
  assert.deepEqual(await show(business), expected);
  const activity = await eventually('it is written down', async () => {
    const { json } = await callAs(business.admin, '/v1/activity');
    const actions = [0, 1, 2, 3].map((at) => valueAt(json, `data.${at}.action`));
    return actions.includes('verification.start') && { json, at: actions.indexOf('verification.start') };
  });
  assert.equal(textAt(activity.json, `data.${activity.at}.by`), business.admin.email);
});

test('approved by the webhook alone: one live environment with one empty wallet, an active account, and one mail', async () => {
  const business = await openBusiness(world);
  const id = await start(world, business);
  assert.deepEqual(await liveOf(database, business.partnerId), []);
  const { cookie } = business.admin;
  const early = await fetch(`${world.api.url}/v1/account?environment=live`, { headers: { cookie } });
  assert.deepEqual([early.status, textAt(await early.json(), 'error.code')], [403, 'verification_required']);
  await decide(id, 'approve');
  const shown = await untilShown(business, 'approved');
  assert.deepEqual(shown, { status: 'approved', provider: 'approved', continueUrl: null, termsUrl: null });
  const [known] = await verificationsOf(database, business.partnerId);
  const wallets = await walletsAtBank(bank, known?.customer_id ?? '');
  assert.equal(wallets.length, 1);
  assert.deepEqual(await liveOf(database, business.partnerId), [
    { status: 'active', rail: 'provider_production', customer: known?.customer_id, wallet: wallets[0], balance: 0 },
  ]);
  await untilPolledNoMore(business.partnerId);
  const mail = await world.inbox.waitForMail(business.admin.email);
  assert.equal(mail.subject, `${business.name} is verified`);
  // What a session may see is remembered for a moment.
  const live = await eventually('the admin sees the live environment', async () => {
    const answer = await callAs(business.admin, '/v1/account?environment=live');
    return answer.status === 200 && answer;
  });
  assert.deepEqual([textAt(live.json, 'status'), textAt(live.json, 'rail')], ['active', 'provider_production']);
  const compliance = await callAs(business.admin, '/v1/compliance?environment=live');
  assert.equal(textAt(compliance.json, 'screening'), 'clear', 'the bank screened it');
  const { key } = await addKey(database, { partnerId: business.partnerId, environment: 'live' });
  for (const path of ['/v1/account', '/v1/compliance', '/v1/balance']) {
    assert.equal((await call({ url: world.api.url, key }, path)).status, 200, path);
  }
  const usage = await call({ url: world.api.url, key }, '/v1/usage');
  assert.deepEqual(valueAt(usage.json, 'invoice_so_far'), {
    lines: [
      { kind: 'monthly_account', amount_gbp: '15.00' },
      { kind: 'business_verification', amount_gbp: '39.00' },
    ],
    total_gbp: '54.00',
    carried_over_gbp: '0.00',
  });
  assert.deepEqual(shownBy(await askToStart(business.admin)), shown, 'it is not started again');
});

test('approved by polling alone, where every webhook is lost', async () => {
  await bank.control('/webhooks', { mode: 'lose' });
  const business = await openBusiness(world);
  await decide(await start(world, business), 'approve');
  clock.move(61_000);
  await lookAround();
  await untilShown(business, 'approved');
  assert.equal((await liveOf(database, business.partnerId)).length, 1);
  await world.inbox.waitForMail(business.admin.email);
  await bank.control('/webhooks', { mode: 'normal' });
});

test('refused: it is said, nothing is opened, and it may be started again, by another admin too', async () => {
  const business = await openBusiness(world);
  const id = await start(world, business);
  await decide(id, 'reject');
  await untilShown(business, 'rejected');
  assert.equal((await world.inbox.waitForMail(business.admin.email)).subject, `${business.name} could not be verified`);
  assert.deepEqual(await liveOf(database, business.partnerId), []);
  await untilPolledNoMore(business.partnerId);
  assert.equal(shownBy(await askToStart(business.admin)).status, 'rejected', 'the bank knows this address already');
  const other = await signIn(database, business, { url: world.api.url });
  assert.equal(shownBy(await askToStart(other)).status, 'action_required');
  const [second, first] = await verificationsOf(database, business.partnerId);
  assert.deepEqual([first?.id, first?.state, second?.state], [id, 'rejected', 'action_required']);
  await decide(second?.id ?? '', 'approve');
  await untilShown(business, 'approved');
  assert.deepEqual(subjectsTo(world, business.admin).slice(0, 1), [`${business.name} could not be verified`]);
});

test('the bank returns people to the compliance page', async () => {
  const id = await start(world, await openBusiness(world));
  const [link] = await asAdmin(bank.databaseUrl, async (client) => {
    const { rows } = await client.query<{ redirect_uri: string }>(
      'select redirect_uri from bank.kyc_links where id = $1',
      [id],
    );
    return rows;
  });
  assert.equal(link?.redirect_uri, 'https://dashboard.kelpie.example/live/compliance');
});

test('asked for more, then approved: each is told once, to every admin and to no viewer', async () => {
  const business = await openBusiness(world);
  const second = await signIn(database, business, { url: world.api.url });
  const viewer = await signIn(database, business, { url: world.api.url, role: 'viewer' });
  const id = await start(world, business);
  await decide(id, 'review');
  await untilShown(business, 'in_review');
  await decide(id, 'ask-for-more');
  const { continueUrl } = await untilShown(business, 'action_required');
  const asked = await world.inbox.waitForMail(business.admin.email);
  assert.equal(asked.subject, `The bank needs more information to verify ${business.name}`);
  assert(continueUrl !== null && asked.text.includes(continueUrl));
  await bank.control('/webhooks/redeliver', { all: true });
  await decide(id, 'approve');
  await untilShown(business, 'approved');
  for (const admin of [business.admin, second]) {
    await eventually('both mails are there', async () => subjectsTo(world, admin).length >= 2);
    assert.deepEqual(subjectsTo(world, admin), [
      `The bank needs more information to verify ${business.name}`,
      `${business.name} is verified`,
    ]);
  }
  assert.deepEqual(subjectsTo(world, viewer), []);
});

test('started ten times at once by two admins, it is one verification, and every answer shows it', async () => {
  const business = await openBusiness(world);
  const other = await signIn(database, business, { url: world.api.url });
  const admins = [business.admin, other, business.admin, other, business.admin];
  const answers = await Promise.all([...admins, ...admins].map(askToStart));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  const known = await verificationsOf(database, business.partnerId);
  assert.equal(known.length, 1);
  assert.equal((await show(business)).continueUrl, `${bank.url}/verify/${known[0]?.id}`);
});

test('one that is under way is asked for at the bank again, but not more than once in some seconds', async () => {
  await bank.control('/webhooks', { mode: 'lose' });
  const business = await openBusiness(world);
  const id = await start(world, business);
  await decide(id, 'review');
  assert.equal(shownBy(await askToStart(business.admin)).status, 'action_required');
  clock.move(6_000);
  assert.equal(shownBy(await askToStart(business.admin)).status, 'in_review');
  await bank.control('/webhooks', { mode: 'normal' });
});

test('only an admin starts it: no key, no viewer, nobody from another site', async () => {
  const business = await openBusiness(world);
  const viewer = await signIn(database, business, { url: world.api.url, role: 'viewer' });
  const path = '/v1/compliance/verification';
  assert.equal((await askToStart(viewer)).code, 'api_key_required');
  assert.equal(
    (await call({ url: world.api.url, key: business.key }, path, { method: 'POST' })).code,
    'session_required',
  );
  const headers = { 'sec-fetch-site': 'cross-site' };
  assert.equal((await callAs(business.admin, path, { method: 'POST', headers })).code, 'cross_site_request');
  assert.equal((await call({ url: world.api.url, key: null }, path, { method: 'POST' })).code, 'unauthorized');
  assert.deepEqual(await verificationsOf(database, business.partnerId), []);
});

test('an admin who was just removed starts nothing, in the moment in which its session is still remembered', async () => {
  const business = await openBusiness(world);
  const leaving = await signIn(database, business, { url: world.api.url });
  assert.equal((await callAs(leaving, '/v1/members')).status, 200);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query('delete from kelpie.members where email = $1', [leaving.email]),
  );
  assert.equal((await askToStart(leaving)).code, 'unauthorized');
  assert.deepEqual(await verificationsOf(database, business.partnerId), []);
});

test('no process has said a name or an address', () => {
  for (const child of world.processes) assert.doesNotMatch(child.output(), /Tideway|people\.test/);
});
