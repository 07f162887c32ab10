import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { callWire } from '@kelpie/sandbox-bank/test/customer.ts';
import { bankOf, createPayout, getPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestClock, passTime } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// Who is paid at the bank: by an id that only the service can read, and the same one in every try of a round.

const clock = createTestClock();
const world = await startWorld({ env: { KELPIE_TEST_CLOCK_FILE: clock.file } });
const client = { url: world.api.url, key: world.partner.key };
const minute = 60_000;

async function sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(world.database.superuserUrl, async (admin) => (await admin.query<Row>(text, values)).rows);
}

async function moveTime(byMs: number): Promise<void> {
  await passTime({ clock, bank: world.bank }, byMs);
}

async function pay(account: string, key: string = randomUUID()): Promise<ApiAnswer> {
  return createPayout(client, payoutBody({}, bankOf(account)), key);
}

async function paymentsOf({ id }: ApiAnswer): Promise<string[]> {
  const [row] = await sql<{ order: string }>('select order_id as order from kelpie.payouts where id = $1', [id]);
  const { payments } = await world.bank.record();
  return payments.filter((one) => one.client_reference_id === row?.order).map((one) => one.transfer_id);
}

/** The account that the bank paid, by its own record. */
async function paidAccount(made: ApiAnswer): Promise<string> {
  const [payment = ''] = await paymentsOf(made);
  const { json } = await callWire(world.bank, `/transfers/${payment}`);
  return textAt(json, 'destination.external_account_id');
}

async function becomes({ id }: ApiAnswer, status: string): Promise<void> {
  await eventually(`${id} is ${status}`, async () => (await getPayout(client, id)).payout === status);
}

test('faults 59: the service itself can neither add, change nor remove a known recipient', async () => {
  assert.equal((await pay('11110001')).status, 201);
  for (const statement of [
    'update kelpie.known_recipients set id_encrypted = id_encrypted',
    'delete from kelpie.known_recipients',
    `insert into kelpie.known_recipients (partner_id, environment, account_index, registered_at)
     select gen_random_uuid(), 'sandbox', sha256('x'), now()`,
    'update kelpie.payouts set bank_recipient_encrypted = null',
    `update kelpie.bank_recipients set bank_recipient_id = 'another'`,
  ])
    await assert.rejects(
      asAdmin(world.database.serviceUrl, async (service) => service.query(statement)),
      /permission denied/,
      statement,
    );
});

test('faults 59: where the rows of two accounts were swapped, each payout still goes to its own account', async () => {
  const [grace, mule] = ['22220001', '22220002'];
  const before = [await pay(grace), await pay(mule)];
  await untilQuiet(world.database);
  const accounts = await Promise.all(before.map(paidAccount));
  assert.notEqual(accounts[0], accounts[1]);
  await sql(
    `with of as (
       select p.account_index, row_number() over (order by p.id) as nth from kelpie.payouts p where p.id = any ($1)
     ), off as (select set_config('session_replication_role', 'replica', true) as role)
     update kelpie.known_recipients r set id_encrypted = other.id_encrypted
     from off, of, of o2, kelpie.known_recipients other
     where off.role = 'replica' and r.account_index = of.account_index and o2.nth <> of.nth
       and other.account_index = o2.account_index`,
    [before.map(({ id }) => id)],
  );
  const after = [await pay(grace), await pay(mule)];
  for (const made of after) assert.deepEqual([made.status, made.payout], [201, 'processing'], made.text);
  assert.deepEqual(await Promise.all(after.map(paidAccount)), accounts);
  assert.match(world.api.output(), /payout\.recipient_unreadable/);
  await untilQuiet(world.database);
  // What was registered anew is known again.
  assert.equal(await paidAccount(await pay(grace)), accounts[0]);
  await untilQuiet(world.database);
  await assertAllHolds({ ...world, acknowledged: [...before, ...after].map(({ id }) => id) });
});

/** The bank closes the account, and whoever pays it next has us forget it. */
async function closeAccount(account: string, id: string): Promise<void> {
  await world.bank.control(`/external_accounts/${id}/deactivate`);
  assert.equal((await pay(account)).status, 502);
}

test('a retry names the account of the first try: what the bank accepted is found, though the account was closed', async () => {
  const first = await pay('33330001');
  await untilQuiet(world.database);
  const account = await paidAccount(first);
  await world.worker?.stop();
  await world.bank.control('/faults', { on: 'transfer.create', kind: 'drop_reply', times: 1 });
  const made = await pay('33330001');
  assert.deepEqual([made.status, made.payout], [201, 'pending'], made.text);
  await closeAccount('33330001', account);
  await world.restartWorker();
  await untilQuiet(world.database);
  assert.equal((await paymentsOf(made)).length, 1);
  assert.equal(await paidAccount(made), account);
  await assertAllHolds({ ...world, acknowledged: [first.id, made.id] });
});

test('a retry to an account that was closed meanwhile is not sent to another one: it fails, and its money comes back', async () => {
  const first = await pay('33330002');
  await untilQuiet(world.database);
  const account = await paidAccount(first);
  await world.worker?.stop();
  await world.bank.control('/faults', { on: 'transfer.create', kind: 'drop_request', times: 1 });
  const made = await pay('33330002');
  assert.deepEqual([made.status, made.payout], [201, 'pending'], made.text);
  await closeAccount('33330002', account);
  await moveTime(3 * minute);
  await world.restartWorker();
  await becomes(made, 'failed');
  assert.deepEqual(await paymentsOf(made), []);
  await assertAllHolds({ ...world, acknowledged: [first.id, made.id] });
});

/** An api that dies once the bank has accepted its order, which only the list of the bank shows then. */
async function payAndDie(account: string, key: string): Promise<string> {
  const dying = await world.addApi({ KELPIE_TEST_FAILPOINT: 'database.apply_transitions.before*1' });
  await world.worker?.stop();
  await world.bank.control('/webhooks', { mode: 'lose' });
  await assert.rejects(createPayout({ ...client, url: dying.url }, payoutBody({}, bankOf(account)), key));
  const { payments } = await world.bank.record();
  return payments.at(-1)?.transfer_id ?? '';
}

for (const [what, on, code] of [
  ['its key', 'transfer.create', 'idempotency_key_reused'],
  ['its recipient', 'external_account.create', 'invalid_account_number'],
] as const) {
  test(`an order that can not be sent again, since the bank refuses ${what}, is found in its list at once`, async (t) => {
    t.after(async () => world.bank.control('/webhooks', { mode: 'normal' }));
    const key = randomUUID();
    const account = what === 'its key' ? '44440001' : '44440002';
    const payment = await payAndDie(account, key);
    await world.bank.control('/faults', { on, kind: 'reject', status: 422, code, times: 1 });
    // Its list fails when it is looked at first: otherwise nothing would be sent again.
    await world.bank.control('/faults', { on: 'transfer.read', kind: 'error_before', times: 1 });
    await moveTime(10_000);
    await world.restartWorker();
    const [row] = await sql<{ id: string }>('select id from kelpie.payouts where idempotency_key = $1', [key]);
    const history = async (): Promise<(string | null)[]> => {
      const rows = await sql<{ word: string | null }>(
        'select bank_state as word from kelpie.payout_history where payout_id = $1 order by number',
        [row?.id],
      );
      return rows.map(({ word }) => word);
    };
    await eventually('it can not be sent again', async () => (await history()).includes('not_sendable'));
    await moveTime(10_000);
    await untilQuiet(world.database);
    const found = await pay(account, key);
    assert.equal(found.status, 200, found.text);
    assert.deepEqual(await paymentsOf(found), [payment]);
    await assertAllHolds({ ...world, acknowledged: [found.id] });
  });
}
