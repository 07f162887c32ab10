import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { asSecondPerson } from '../app/commands/kelpie-admin.ts';
import { balanceOf } from '../funding/topping-up.ts';
import { writeAnchor } from '../../src/platform/heartbeat/anchor.ts';
import { orderIdOf } from '../../src/payouts/model/order.ts';
import { bankOf, call, getPayout, payoutBody, type Client } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { depositToEach } from '../harness/partners.ts';
import { payoutsOfOrder, readHeartbeat, restoreBackup, startRecoveryWorld, takeBackup } from './restoring.ts';

// A database that was restored has forgotten what the bank did since. It is rebuilt from the bank's own list, and nothing
// is sent again: the bank's record says so.

const world = await startRecoveryWorld();
const { bank, database } = world;
const hour = 3_600_000;
const amount = '40.00';
const orderOf = (key: string): string => orderIdOf(world.partner, key);

function clientOf({ api, partner }: typeof world): Client {
  return { url: api.url, key: partner.key };
}

/** The wallet's money is elsewhere: as after a restore that also forgot a deposit. Says how much it was. */
async function moveFromWallet(given: bigint | null): Promise<bigint> {
  const moved = given ?? (await balanceOf(database, world.partner));
  await depositToEach(database, [world.partner], -moved);
  return moved;
}

async function blocks(): Promise<string[]> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ cause: string }>(
      'select cause from kelpie.payment_blocks where rail is not null',
    );
    return rows.map(({ cause }) => cause);
  });
}

/** The database is restored while its processes are down, as in a real one. The worker notices when it starts. */
async function restore(): Promise<void> {
  await world.worker?.stop();
  await restoreBackup(database);
  await world.restartApi();
  await world.restartWorker();
  assert.deepEqual(await blocks(), ['recovery']);
}

async function importAll(): Promise<unknown> {
  // Whatever was on its way to the bank has arrived.
  await world.moveTime(61_000);
  const imported = await world.admin(['recovery', 'import', '--json']);
  assert.equal(imported.code, 0, imported.said);
  return imported.data();
}

/** Two operators open live again. */
async function open(): Promise<void> {
  const proposed = await world.admin(['recovery', 'open', '--reason', 'imported', '--json']);
  assert.equal(proposed.code, 0, proposed.said);
  const approve = ['approvals', 'approve', textAt(proposed.data(), 'id'), '--json'];
  assert.equal((await world.admin(approve)).code, 2);
  const approved = await world.admin(approve, asSecondPerson(database));
  assert.equal(approved.code, 0, approved.said);
  assert.deepEqual(await blocks(), []);
}

test('faults 12: a payout that the restore forgot is rebuilt, is the answer to its key again, and was paid once', async () => {
  await takeBackup(database);
  const key = randomUUID();
  const made = await world.pay(key);
  assert.equal(made.status, 201, made.text);
  await eventually('completed', async () => (await getPayout(clientOf(world), made.id)).payout === 'completed');
  await world.beat();
  await restore();
  const client = clientOf(world);
  assert.equal((await getPayout(client, made.id)).status, 404);
  const closed = await world.pay(randomUUID());
  assert.deepEqual([closed.status, closed.code], [502, 'payout_not_created'], closed.text);
  assert.equal(valueAt(await importAll(), 'imported'), 1);
  assert.equal(valueAt(await importAll(), 'imported'), 0);
  await world.settle();
  const [rebuilt] = await payoutsOfOrder(database, orderOf(key));
  assert.deepEqual(rebuilt?.whats, ['imported', 'arrived']);
  const shown = await getPayout(client, rebuilt?.id ?? '');
  assert.equal(valueAt(shown.json, 'idempotency_key'), null);
  assert.equal(valueAt(shown.json, 'recipient.name'), 'Ada Canaryname');
  for (const [body, field] of [
    [payoutBody({ amount_gbp: '41.00' }), 'amount_gbp'],
    [payoutBody({ amount_gbp: amount }, bankOf('33334444')), 'recipient.bank.account_number'],
    // The same last four digits: only the bank can tell, and the right account is compared under another key of its.
    [payoutBody({ amount_gbp: amount }, bankOf('99995678')), 'recipient'],
  ] as const) {
    const other = await world.pay(key, body);
    assert.deepEqual([other.status, other.code], [422, 'idempotency_key_reused'], other.text);
    assert.deepEqual(valueAt(other.json, 'error.details.mismatched'), [field]);
  }
  const answers = await Promise.all(Array.from({ length: 10 }, async () => world.pay(key)));
  for (const { status, id, text } of answers) assert.deepEqual([status, id], [200, rebuilt?.id], text);
  assert.equal(valueAt(answers[0]?.json, 'idempotency_key'), key);
  const changed = await world.pay(key, payoutBody({ amount_gbp: amount, reference: 'Another' }));
  assert.deepEqual([changed.status, changed.code], [422, 'idempotency_key_reused'], changed.text);
  const listed = await call(client, `/v1/payouts?idempotency_key=${key}`);
  assert.equal(listAt(listed.json, 'data').length, 1);
  assert.equal(await world.paymentsOf(orderOf(key)), 1);
  await assertAllHolds({ ...world, acknowledged: [rebuilt?.id ?? ''] });
  await open();
  assert.equal((await world.pay(randomUUID())).status, 201);
  await world.beat();
  assert.deepEqual(await blocks(), []);
});

async function fault(kind: string, on: string, more: object = {}): Promise<void> {
  await bank.control('/faults', { on, kind, times: 1, ...more });
}

test('faults 12: an order that was refused before the backup and paid after it is rebuilt with all of its body', async () => {
  const key = randomUUID();
  await fault('reject', 'transfer.create', { code: 'invalid_parameters' });
  assert.equal((await world.pay(key)).status, 502);
  await takeBackup(database);
  assert.equal((await world.pay(key)).status, 201);
  await world.settle();
  await world.beat();
  await restore();
  assert.equal(valueAt(await importAll(), 'imported'), 1);
  await world.settle();
  const [refused, rebuilt] = await payoutsOfOrder(database, orderOf(key));
  assert.deepEqual([refused?.state, rebuilt?.state, rebuilt?.recovered], ['not_created', 'completed', true]);
  await open();
  await world.moveTime(25 * hour);
  const again = await world.pay(key);
  assert.deepEqual([again.status, again.id], [200, rebuilt?.id], again.text);
  const recipient = await call(clientOf(world), `/v1/payouts/${again.id}`);
  assert.equal(valueAt(recipient.json, 'reference'), 'Order 42');
  const other = await world.pay(key, payoutBody({ amount_gbp: amount, reference: 'Another' }));
  assert.deepEqual([other.status, other.code], [422, 'idempotency_key_reused'], other.text);
  assert.equal(await world.paymentsOf(orderOf(key)), 1);
  await assertAllHolds({ ...world, acknowledged: [again.id] });
});

test('faults 12: an order whose caller got 502 after the backup is never sent after the restore', async () => {
  const key = randomUUID();
  await fault('delay', 'external_account.create', { delay_ms: 1_500 });
  await fault('reject', 'transfer.create', { code: 'invalid_parameters' });
  const body = payoutBody({ amount_gbp: amount }, { first_name: 'New', last_name: 'Canaryname' });
  const asked = world.pay(key, body);
  await eventually('sending', async () => (await payoutsOfOrder(database, orderOf(key)))[0]?.state === 'sending');
  await takeBackup(database);
  const answered = await asked;
  assert.deepEqual([answered.status, answered.code], [502, 'payout_not_created'], answered.text);
  await world.beat();
  await restore();
  // What the bank may not have listed yet is left alone, and live stays closed.
  const early = await world.admin(['recovery', 'import', '--json']);
  assert.equal(early.code, 1, early.said);
  const refused = await world.admin(['recovery', 'open', '--reason', 'too early', '--json']);
  assert.equal(textAt(refused.json(), 'error.code'), 'recovery_not_imported');
  assert.equal(valueAt(await importAll(), 'released'), 1);
  assert.deepEqual(
    (await payoutsOfOrder(database, orderOf(key))).map(({ state }) => state),
    ['not_created'],
  );
  await open();
  await world.settle();
  assert.equal(await world.paymentsOf(orderOf(key)), 0);
  const again = await world.pay(key, body);
  assert.equal(again.status, 201, again.text);
  await world.settle();
  assert.equal(await world.paymentsOf(orderOf(key)), 1);
  await assertAllHolds({ ...world, acknowledged: [again.id] });
});

test('faults 12: pending payouts of the backup are settled by the bank’s list: found or released', async () => {
  const [found, lost] = [randomUUID(), randomUUID()];
  await world.worker?.stop();
  await fault('error_after', 'transfer.create');
  assert.equal((await world.pay(found)).payout, 'pending');
  await fault('drop_request', 'transfer.create');
  const dropped = await world.pay(lost);
  assert.equal(dropped.payout, 'pending', dropped.text);
  await takeBackup(database);
  // A heartbeat without a worker, which would send the payout that the bank does not have.
  await writeAnchor(world.anchorFile, (await readHeartbeat(database)) + 1n);
  await restore();
  const imported = await importAll();
  assert.equal(valueAt(imported, 'released'), 1);
  await world.settle();
  assert.deepEqual(
    (await payoutsOfOrder(database, orderOf(found))).map(({ state }) => state),
    ['completed'],
  );
  assert.deepEqual(
    (await payoutsOfOrder(database, orderOf(lost))).map(({ state }) => state),
    ['failed'],
  );
  await open();
  await world.settle();
  assert.deepEqual([await world.paymentsOf(orderOf(found)), await world.paymentsOf(orderOf(lost))], [1, 0]);
  await assertAllHolds(world);
});

test('a payout that the wallet does not cover is left, live stays closed, and a later import rebuilds it', async () => {
  await takeBackup(database);
  const key = randomUUID();
  assert.equal((await world.pay(key)).status, 201);
  await world.settle();
  await world.beat();
  await restore();
  const forgotten = await moveFromWallet(null);
  await world.moveTime(61_000);
  const short = await world.admin(['recovery', 'import', '--json']);
  assert.equal(short.code, 1, short.said);
  assert.deepEqual(
    listAt(short.data(), 'unresolved').map((one) => valueAt(one, 'what')),
    ['insufficient_funds'],
  );
  assert.equal((await world.admin(['recovery', 'open', '--reason', 'not yet', '--json'])).code, 2);
  await moveFromWallet(-forgotten);
  assert.equal(valueAt(await importAll(), 'imported'), 1);
  await world.settle();
  await open();
  await assertAllHolds(world);
});

test('faults 12: what arrived or came back after the backup is found again', async () => {
  const [arrives, returns] = [randomUUID(), randomUUID()];
  const second = await world.pay(returns);
  await world.settle();
  const first = await world.pay(arrives);
  await takeBackup(database);
  await world.settle();
  const { payments } = await bank.record();
  const payment = payments.find((one) => one.client_reference_id === orderOf(returns));
  await bank.control(`/transfers/${payment?.transfer_id}/return`, { reason: 'account_closed' });
  const client = clientOf(world);
  await world.settle();
  await eventually('returned', async () => (await getPayout(client, second.id)).payout === 'returned');
  await world.beat();
  await bank.control('/webhooks', { mode: 'lose' });
  await restore();
  await importAll();
  const now = clientOf(world);
  await eventually('both', async () => {
    await world.moveTime(60_000);
    const states = [(await getPayout(now, first.id)).payout, (await getPayout(now, second.id)).payout];
    return states.join() === 'completed,returned';
  });
  await open();
  await assertAllHolds({ ...world, acknowledged: [first.id, second.id] });
});
