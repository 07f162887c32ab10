import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { bankOf, call, createPayout, payoutBody } from '../harness/client.ts';
import { addKey, type TestPartner } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import { tamper } from '../harness/seal-planted-rows.ts';
import { startWorld } from '../harness/world.ts';

// What whoever can write to the database changes, past the service: each change is found before money moves.

const world = await startWorld({ withoutWebhooks: true });
const { database, bank } = world;
const { url } = world.api;
/** Longer than what was looked up is remembered. */
const forgottenMs = 1_000;

async function write(sql: string, values: readonly unknown[] = []): Promise<void> {
  await tamper(database.superuserUrl, sql, values);
}

async function paymentCount(): Promise<number> {
  return (await bank.record()).payments.length;
}

/** Refused, also after what is remembered was looked up again; nothing was sent, and there is an alarm. */
async function refuses(table: string, ask: () => Promise<number>): Promise<void> {
  const before = await paymentCount();
  const since = world.api.output().length;
  const startedAt = performance.now();
  await eventually('it is refused', async () => (await ask()) === 401);
  assert(performance.now() - startedAt < 10 * forgottenMs);
  assert.equal(await ask(), 401);
  assert.equal(await paymentCount(), before);
  const lines = world.api.output().slice(since).split('\n');
  assert(lines.some((line) => line.includes('row.tampered') && line.includes(table)));
}

async function payBy(key: string): Promise<number> {
  return (await createPayout({ url, key }, payoutBody(), randomUUID())).status;
}

async function readBy(key: string): Promise<number> {
  return (await call({ url, key }, '/v1/balance')).status;
}

const changes: readonly (readonly [what: string, scope: 'pay' | 'read', sql: string])[] = [
  ['whose scope was widened', 'read', `update kelpie.api_keys set scope = 'pay' where id = $1`],
  ['whose networks were removed', 'pay', 'update kelpie.api_keys set networks = null where id = $1'],
  ['whose daily limit was raised', 'pay', 'update kelpie.api_keys set daily_limit_pence = null where id = $1'],
  ['whose end was moved', 'pay', `update kelpie.api_keys set expires_at = now() + interval '9 years' where id = $1`],
];

for (const [what, scope, sql] of changes)
  test(`faults 92: a key ${what} in the database is refused`, async () => {
    const { key, keyId } = await addKey(database, world.partner, { scope });
    await asAdmin(database.superuserUrl, async (admin) =>
      admin.query(
        `update kelpie.api_keys set daily_limit_pence = case scope when 'pay' then 2000000 end,
           expires_at = now() + interval '1 day', networks = '{127.0.0.0/8,::1/128}' where id = $1`,
        [keyId],
      ),
    );
    assert.equal(await readBy(key), 200);
    await write(sql, [keyId]);
    await refuses('api_keys', async () => readBy(key));
  });

test(`faults 92: a key that was moved to another partner is refused, and pays from no wallet`, async () => {
  const other = await world.addPartner();
  const { key, keyId } = await addKey(database, other);
  await write('update kelpie.api_keys set partner_id = $2 where id = $1', [keyId, world.partner.partnerId]);
  await refuses('api_keys', async () => payBy(key));
});

test('faults 92: a key that got the secret of another key pays with neither', async () => {
  const mine: TestPartner = await world.addPartner();
  const theirs = await addKey(database, world.partner);
  await write(
    `update kelpie.api_keys k set secret_hmac = case k.id when $1 then mine.secret_hmac else sha256('gone') end
     from kelpie.api_keys mine where mine.id = $2 and k.id in ($1, $2)`,
    [theirs.keyId, mine.keyId],
  );
  await refuses('api_keys', async () => payBy(mine.key));
});

test('faults 92: a key that was planted, or revoked and brought back, pays nothing', async () => {
  const planted = await addKey(database, world.partner);
  await write('update kelpie.api_keys set mac = null where id = $1', [planted.keyId]);
  await refuses('api_keys', async () => payBy(planted.key));
  const admin = await signIn(database, world.partner, { url });
  const { key, keyId } = await addKey(database, world.partner);
  assert.equal((await callAs(admin, `/v1/keys/${keyId}`, { method: 'DELETE' })).status, 200);
  await write('update kelpie.api_keys set revoked_at = null where id = $1', [keyId]);
  await refuses('api_keys', async () => payBy(key));
});

async function seesAs(person: { url: string; cookie: string; partnerId: string }): Promise<number> {
  return (await callAs(person, '/v1/members')).status;
}

test('faults 92: a member who was made an admin in the database is refused', async () => {
  const viewer = await signIn(database, world.partner, { url, role: 'viewer' });
  assert.equal(await seesAs(viewer), 200);
  await write(`update kelpie.members set role = 'admin' where email = $1`, [viewer.email]);
  await refuses('members', async () => seesAs(viewer));
});

test('faults 92: an admin who was planted in the database is refused', async () => {
  const mallory = await signIn(database, await world.addPartner(), { url });
  await write(`insert into kelpie.members (partner_id, email, role, created_at) values ($1, $2, 'admin', now())`, [
    world.partner.partnerId,
    mallory.email,
  ]);
  const entered = { ...mallory, partnerId: world.partner.partnerId };
  await write('update kelpie.sessions set partner_id = $2 where id = $1', [mallory.sessionId, entered.partnerId]);
  await refuses('sessions', async () => seesAs(entered));
});

test(`faults 92: a session that was moved to another person is refused`, async () => {
  const viewer = await signIn(database, world.partner, { url, role: 'viewer' });
  const admin = await signIn(database, world.partner, { url });
  await write('update kelpie.sessions set email = $2 where id = $1', [viewer.sessionId, admin.email]);
  await refuses('sessions', async () => seesAs(viewer));
});

/** One of which the bank did not get the order, and which a worker would send again. */
async function waitingPayout(account: string): Promise<string> {
  await bank.control('/faults', { on: 'transfer.create', kind: 'drop_request', times: 1 });
  const client = { url, key: world.partner.key };
  const made = await createPayout(client, payoutBody({}, bankOf(account)), randomUUID());
  assert.deepEqual([made.status, made.payout], [201, 'pending'], made.text);
  return made.id;
}

const orders: readonly (readonly [what: string, sql: string])[] = [
  ['whose amount was changed', 'update kelpie.payouts set amount_pence = amount_pence * 900 where id = $1'],
  [
    'whose recipient was swapped',
    `update kelpie.payouts p set recipient_encrypted = mule.recipient_encrypted from kelpie.payouts mule
     where p.id = $1 and mule.id = $2`,
  ],
  [
    'whose account was swapped, with its recipient at the bank',
    `update kelpie.payouts p set account_index = mule.account_index, bank_recipient_encrypted = mule.bank_recipient_encrypted
     from kelpie.payouts mule where p.id = $1 and mule.id = $2`,
  ],
  ['that got another order id', 'update kelpie.payouts set order_id = gen_random_uuid() where id = $1'],
];

for (const [at, [what, sql]] of orders.entries())
  test(`faults 92: a waiting payout ${what} is not sent`, async () => {
    const mule = await createPayout(
      { url, key: world.partner.key },
      payoutBody({}, bankOf(`5555000${at}`)),
      randomUUID(),
    );
    await world.worker?.stop();
    const id = await waitingPayout(`6666000${at}`);
    const before = await paymentCount();
    await write(`with named as (select $2::uuid) ${sql}`, [id, mule.id]);
    await write(`update kelpie.payout_leases set due_at = now(), leased_until = '-infinity' where payout_id = $1`, [
      id,
    ]);
    const worker = await world.restartWorker();
    await eventually('the worker has looked at it', async () => worker.output().includes('row.tampered'));
    assert.equal(await paymentCount(), before);
  });
