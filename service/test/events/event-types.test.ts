import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { sendPounds } from '@kelpie/sandbox-bank/test/topping-up.ts';
import { asSecondPerson, kelpieAdmin } from '../app/commands/kelpie-admin.ts';
import { openRounds, startFundingWorld, untilDeposit, untilFunded } from '../funding/topping-up.ts';
import { call, createPayout, type Client } from '../harness/client.ts';
import { confirming } from '../harness/confirming.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { addKey, createPartners, type TestPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { untilQuiet } from '../harness/waits.ts';
import { readEvents, typesIn, untilEvents } from './reading.ts';

// Each type by the act that causes it. Every body is held against openapi.json by `call`.

const world = await startFundingWorld();
const { bank, database, partner } = world;
const { url } = world.api;
const sandbox: Client = { url, key: partner.key };
const confirmed = confirming(database, world.inbox);
const round = await openRounds(database);

/** A partner that is live, without a bank: for what is not about payouts. */
async function newLive(): Promise<{ client: Client; admin: Person; slug: string; partnerId: string }> {
  const [made] = await createPartners(database, 1, 'live');
  assert(made !== undefined);
  const { key } = await addKey(database, made);
  const admin = await signIn(database, made, { url });
  return { client: { url, key }, admin, slug: `p-${made.partnerId.slice(-12)}`, partnerId: made.partnerId };
}

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const done = await kelpieAdmin(database, [...args, '--json'], env);
  assert.equal(done.code, 0, done.said);
  return done.data();
}

/** Two operators. */
async function runApproved(...args: readonly string[]): Promise<void> {
  const proposed = await run([...args, '--reason', 'test']);
  await run(['approvals', 'approve', textAt(proposed, 'id')], asSecondPerson(database));
}

function assertNumbered(events: readonly unknown[]): void {
  assert.deepEqual(
    events.map((event) => valueAt(event, 'sequence')),
    events.map((_event, at) => at + 1),
  );
}

const dataOf = (event: unknown): unknown => valueAt(event, 'data');

test('a deposit that is credited and taken back, a low wallet, and payouts are in one feed without gaps', async () => {
  await round('open-funding');
  const places = await untilFunded(database, partner);
  const admin = await signIn(database, partner, { url });
  const listed = async (): Promise<unknown> => listAt((await call(sandbox, '/v1/deposits')).json, 'data')[0];
  const deposit = await sendPounds(bank, places.accountId, '800.00');
  await untilDeposit(database, deposit, 'credited');
  const credited = await listed();
  const [first] = await untilEvents(sandbox, 1);
  assert.notEqual(valueAt(credited, 'sender'), null);
  assert.deepEqual(dataOf(first), { ...Object(credited), sender: null });
  await bank.control(`/deposits/${deposit}/refund`);
  await untilDeposit(database, deposit, 'reversed');
  const reversed = await listed();
  const threshold = { wallet_low_usdc: '99999.50' };
  await callAs(admin, '/v1/account?environment=sandbox', { method: 'PATCH', body: threshold });
  await round('low-wallets');
  await untilEvents(sandbox, 3);
  await createPayout(sandbox);
  await untilQuiet(database);
  const events = await untilEvents(sandbox, 5);
  assert.deepEqual(typesIn(events), [
    'deposit.credited',
    'deposit.reversed',
    'wallet.low',
    'payout.processing',
    'payout.completed',
  ]);
  assertNumbered(events);
  assert.deepEqual(dataOf(events[0]), dataOf(first), 'it stays as it was');
  assert.deepEqual(dataOf(events[1]), { ...Object(reversed), sender: null });
  assert(Number(valueAt(events[1], 'version')) > Number(valueAt(events[0], 'version')));
  assert.deepEqual(dataOf(events[2]), {
    object: 'wallet',
    environment: 'sandbox',
    balance_usdc: '10000.00',
    wallet_low_usdc: '99999.50',
  });
  const one = await call(sandbox, `/v1/events/${textAt(events[1], 'id')}`);
  assert.deepEqual(one.json, events[1]);
  for (let times = 0; times < 3; times += 1) await round('low-wallets');
  await untilQuiet(database);
  assert.equal((await readEvents(sandbox)).length, 5, 'it is low once');
});

test('a key that is created or revoked is an event of its environment, and has no secret', async () => {
  const admin = await signIn(database, partner, { url });
  const other: TestPartner = await world.addPartner();
  const before = (await readEvents(sandbox)).length;
  const body = { environment: 'sandbox', label: 'Shop', networks: ['203.0.113.7'], daily_limit_gbp: '50.00' };
  const made = await callAs(admin, '/v1/keys', { method: 'POST', body });
  assert.equal(made.status, 201, made.text);
  const listed = async (): Promise<unknown> =>
    listAt((await call(sandbox, '/v1/keys')).json, 'data').find((key) => valueAt(key, 'id') === made.id);
  const created = await listed();
  assert.equal((await callAs(admin, `/v1/keys/${made.id}`, { method: 'DELETE' })).status, 200);
  const revoked = await listed();
  const events = (await untilEvents(sandbox, before + 2)).slice(before);
  assert.deepEqual(typesIn(events), ['key.created', 'key.revoked']);
  assert.deepEqual(events.map(dataOf), [created, revoked]);
  assert(!JSON.stringify(events).includes(textAt(made.json, 'secret').slice(-40)));
  assert.deepEqual(await readEvents({ url, key: other.key }), [], 'of another partner');
});

test('an operator who revokes a key leaves the same event', async () => {
  const { client, partnerId } = await newLive();
  const { keyId } = await addKey(database, { partnerId, environment: 'live' });
  await run(['api-keys', 'revoke', keyId, '--reason', 'test']);
  const [event] = await untilEvents(client, 1);
  assert.deepEqual([valueAt(event, 'type'), valueAt(event, 'data.id')], ['key.revoked', keyId]);
});

test('people who are added and removed are in the events of live, each time with a higher version', async () => {
  const { client, admin } = await newLive();
  const email = 'grace@members.test';
  const invite = async (): Promise<unknown> => {
    const body = { email, name: 'Grace', role: 'viewer' };
    const answer = await confirmed.call(admin, '/v1/members', { method: 'POST', body });
    assert.equal(answer.status, 201, answer.text);
    return answer.json;
  };
  const remove = async (): Promise<void> => {
    const answer = await confirmed.call(admin, `/v1/members/${email}`, { method: 'DELETE' });
    assert.equal(answer.status, 200, answer.text);
  };
  const first = await invite();
  await remove();
  const second = await invite();
  const events = await untilEvents(client, 3);
  assert.deepEqual(typesIn(events), ['member.added', 'member.removed', 'member.added']);
  assert.deepEqual(events.map(dataOf), [first, first, second]);
  assert.deepEqual(
    events.map((event) => valueAt(event, 'version')),
    [1, 2, 3],
  );
  assertNumbered(events);
});

test('an admin whom operators restore is added once, and a viewer whom they make an admin is not added', async () => {
  const { client, partnerId, slug } = await newLive();
  const viewer = await signIn(database, { partnerId }, { url, role: 'viewer' });
  for (const email of ['ada@restored.test', viewer.email]) await runApproved('members', 'restore', slug, email);
  const events = await untilEvents(client, 1);
  await untilQuiet(database);
  assert.deepEqual(
    (await readEvents(client)).map((event) => [valueAt(event, 'type'), valueAt(event, 'data.email')]),
    [['member.added', 'ada@restored.test']],
  );
  assert.equal(valueAt(events[0], 'data.role'), 'admin');
});

test('an account is paused by the first block and resumed with the last', async () => {
  const { client, slug, partnerId } = await newLive();
  await run(['partners', 'freeze', slug, '--reason', 'test']);
  await run(['partners', 'suspend', slug, '--reason', 'test']);
  await runApproved('partners', 'unfreeze', slug);
  const [paused, ...none] = await untilEvents(client, 1);
  assert.deepEqual(none, []);
  const account = { object: 'account', id: partnerId, environment: 'live' };
  assert.equal(valueAt(paused, 'type'), 'account.paused');
  assert.deepEqual(dataOf(paused), { ...account, status: 'active', is_paused: true });
  await runApproved('partners', 'activate', slug);
  const events = await untilEvents(client, 2);
  assert.deepEqual(typesIn(events), ['account.paused', 'account.resumed']);
  assert.deepEqual(dataOf(events[1]), { ...account, status: 'onboarding', is_paused: false });
});

test('of two blocks at once, one pauses the account', async () => {
  const partners = await Promise.all(Array.from({ length: 4 }, newLive));
  await Promise.all(
    partners.flatMap(({ slug }) =>
      ['freeze', 'suspend'].map(async (act) =>
        eventually(`${act} is done`, async () => {
          const { code } = await kelpieAdmin(database, ['partners', act, slug, '--reason', 'test']);
          return code === 0;
        }),
      ),
    ),
  );
  for (const { client } of partners) assert.deepEqual(typesIn(await untilEvents(client, 1)), ['account.paused']);
});

test('a suspended partner is paused in its sandbox too', async () => {
  const { partnerId } = partner;
  const before = (await readEvents(sandbox)).length;
  await run(['partners', 'suspend', partnerId, '--reason', 'test']);
  const [event] = (await untilEvents(sandbox, before + 1)).slice(before);
  assert.deepEqual(
    [valueAt(event, 'type'), valueAt(event, 'environment'), valueAt(event, 'data.status')],
    ['account.paused', 'sandbox', 'suspended'],
  );
  await runApproved('partners', 'activate', partnerId);
  await untilEvents(sandbox, before + 2);
  await untilQuiet(database);
  await assertAllHolds(world);
});
