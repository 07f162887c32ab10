import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { bankOf, call, createPayout, getPayout, payoutBody } from '../harness/client.ts';
import { createTestClock, passTime } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// The answer to a first try was lost, and the bank refuses the second: its list decides whether anything was sent. A hold
// for which nothing was sent goes back without a person.

const clock = createTestClock();
const world = await startWorld({ environment: 'live', env: { KELPIE_TEST_CLOCK_FILE: clock.file } });
const { bank, database, partner } = world;
const client = () => ({ url: world.api.url, key: partner.key });
const most = 30_000;

async function moveTime(byMs: number): Promise<void> {
  await passTime({ clock, bank }, byMs);
}

async function fault(kind: string, more: object = {}): Promise<void> {
  await bank.control('/faults', { on: 'transfer.create', kind, times: 1, ...more });
}

async function usdc(): Promise<string> {
  return textAt((await call(client(), '/v1/balance')).json, 'usdc');
}

async function stateOf(id: string): Promise<string> {
  return (await getPayout(client(), id)).payout;
}

async function idOf(key: string): Promise<string | undefined> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ id: string }>('select id from kelpie.payouts where idempotency_key = $1', [
      key,
    ]);
    return rows[0]?.id;
  });
}

async function countIn(table: 'cases' | 'payout_history', condition: string, id: string): Promise<number> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rowCount } = await admin.query(`select from kelpie.${table} where payout_id = $1 and ${condition}`, [id]);
    return rowCount ?? 0;
  });
}

async function untilTriedAgain(id: string): Promise<void> {
  await eventually(
    'it was refused',
    async () => (await countIn('payout_history', `what = 'not_known'`, id)) >= 2,
    most,
  );
}

async function paymentsNow(): Promise<number> {
  return (await bank.record()).payments.length;
}

async function adjust(microUsdc: number): Promise<void> {
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: microUsdc });
}

/** The bank has less than the wallet shows, for as long as `during` runs: it refuses, and keeps that answer. */
async function whileShort<Done>(during: () => Promise<Done>): Promise<Done> {
  await adjust(-9_990_000_000);
  const done = await during();
  await adjust(9_990_000_000);
  return done;
}

test('a payout whose first try was lost and whose second was refused fails by itself, and its hold goes back', async () => {
  const before = await usdc();
  await fault('drop_request');
  const made = await whileShort(async () => {
    const first = await createPayout(client(), payoutBody({ amount_gbp: '100.00' }));
    assert.deepEqual([first.status, first.payout], [201, 'pending']);
    await untilTriedAgain(first.id);
    return first;
  });
  assert.equal(await stateOf(made.id), 'pending');
  await moveTime(3 * 60_000);
  await eventually('it has failed', async () => (await stateOf(made.id)) === 'failed', most);
  assert.deepEqual([await usdc(), await paymentsNow(), await countIn('cases', 'true', made.id)], [before, 0, 0]);
  const { json } = await getPayout(client(), made.id);
  assert.equal(textAt(json, 'failure_reason'), 'The bank refused the payment.');
});

test('an api killed just after the bank refused leaves no hold behind', async () => {
  const before = await usdc();
  const key = randomUUID();
  await world.restartApi({ KELPIE_TEST_FAILPOINT: 'bank.send_payment.after*1' });
  await whileShort(async () => assert.rejects(createPayout(client(), payoutBody({ amount_gbp: '500.00' }), key)));
  await world.restartApi();
  const id = await idOf(key);
  assert(id !== undefined);
  await eventually('it is pending', async () => (await stateOf(id)) === 'pending', most);
  await moveTime(3 * 60_000);
  await eventually('it has failed', async () => (await stateOf(id)) === 'failed', most);
  assert.deepEqual([await usdc(), await paymentsNow()], [before, 0]);
  // The caller who was cut off repeats the key, and learns what became of it.
  const again = await createPayout(client(), payoutBody({ amount_gbp: '500.00' }), key);
  assert.deepEqual([again.id, again.payout], [id, 'failed']);
});

test('a payout that the bank accepted unheard and then refuses is the one that it has: nothing fails, nothing is paid twice', async () => {
  await bank.control('/webhooks', { mode: 'lose' });
  await fault('drop_reply');
  const made = await createPayout(client(), payoutBody({ amount_gbp: '50.00' }));
  assert.deepEqual([made.status, made.payout], [201, 'pending']);
  await bank.control('/faults', { on: 'transfer.create', kind: 'reject', code: 'invalid_parameters', times: 100 });
  await untilTriedAgain(made.id);
  await moveTime(3 * 60_000);
  await eventually('it was found', async () => (await stateOf(made.id)) !== 'pending', most);
  await bank.control('DELETE /faults');
  await bank.control('/webhooks', { mode: 'normal' });
  await moveTime(60_000);
  await untilQuiet(database);
  assert.equal(await stateOf(made.id), 'completed');
  assert.equal(await paymentsNow(), 1);
});

test('a refusal of the request, and not of the order, proves nothing: the payout stays pending and goes out later', async () => {
  await fault('drop_request');
  const made = await createPayout(client(), payoutBody({ amount_gbp: '60.00' }, bankOf('12345679')));
  await bank.control('/faults', { on: 'transfer.create', kind: 'reject', code: 'rate_limited', status: 429, times: 1 });
  await moveTime(3 * 60_000);
  await untilTriedAgain(made.id);
  assert.equal(await stateOf(made.id), 'pending');
  await moveTime(60_000);
  await eventually('it was sent', async () => (await stateOf(made.id)) !== 'pending', most);
  await moveTime(60_000);
  await untilQuiet(database);
  assert.equal(await stateOf(made.id), 'completed');
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});
