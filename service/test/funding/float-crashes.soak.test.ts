import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { passTime } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { assertKilled, killAtFailpoint } from '../payouts/crashing.ts';
import { openFloating, usdc } from './floating.ts';
import { openRounds, startFundingWorld } from './topping-up.ts';

// A worker that tops up is killed at every step: before and after each call to the database and each request to the bank.

const world = await startFundingWorld({ environment: 'live', settleAfterMs: 1_500, withFloat: true });
const { bank, database } = world;
const round = await openRounds(database);
const { balanced, cushionOf, holdsOfFloat, movesOf, newPartner, payAt, sql } = openFloating(world, round);

const points = ['fold_house_changes', 'stop_after_losses', 'list_float_gaps', 'list_open_float_moves']
  .map((name) => `database.${name}`)
  .concat('bank.transfer_between_wallets', 'bank.find_payment')
  .flatMap((call) => [`${call}.before`, `${call}.after`]);

for (const point of points) {
  test(`a worker that is killed at ${point} leaves a top-up that happens once`, async () => {
    const { partner, client } = await newPartner();
    const before = await holdsOfFloat();
    await payAt(client, '2000.00', usdc(21));
    await untilQuiet(database);
    const killed = await world.restartWorker(killAtFailpoint(point, 1));
    await round('balance-floats');
    // While the bank has not made it, the job comes round to ask.
    const again = setInterval(() => void round('balance-floats'), 1_000);
    await assertKilled(killed).finally(() => clearInterval(again));
    await world.restartWorker();
    await balanced();
    assert.deepEqual(await movesOf(partner), [`top_up done ${usdc(31)}`]);
    assert.equal(await holdsOfFloat(), before - usdc(31));
    assert.equal(await cushionOf(partner), usdc(10));
    await untilQuiet(database);
    await assertAllHolds(world);
  });
}

test('workers that are killed in the middle of their transactions top up once, and five at once do too', async () => {
  const others = await Promise.all(Array.from({ length: 4 }, async () => world.addWorker()));
  const { partner, client } = await newPartner();
  const before = await holdsOfFloat();
  await payAt(client, '2000.00', usdc(21));
  for (let kills = 0; kills < 6; kills += 1) {
    await Promise.all(Array.from({ length: 5 }, async () => round('balance-floats')));
    await sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'kelpie-worker' and datname = current_database() and xact_start is not null`,
    );
  }
  await balanced();
  for (const other of others) await other.stop();
  assert.deepEqual(await movesOf(partner), [`top_up done ${usdc(31)}`]);
  assert.equal(await holdsOfFloat(), before - usdc(31));
  await untilQuiet(database);
  await assertAllHolds(world);
});

test('a transfer that the bank gives back is booked back', async () => {
  const { partner, client } = await newPartner();
  await payAt(client, '2000.00', usdc(21));
  await round('balance-floats');
  const [move] = await eventually('it is at the bank', async () => {
    const rows = await sql<{ payment: string }>(
      `select bank_payment_id as payment from kelpie.float_moves
       where partner_id = $1 and bank_payment_id is not null and state = 'open'`,
      [partner.partnerId],
    );
    return rows.length === 1 && rows;
  });
  await bank.control(`/transfers/${move?.payment ?? ''}/fail`, {});
  await bank.control(`/transfers/${move?.payment ?? ''}/refund`, {});
  await balanced();
  assert.deepEqual(await movesOf(partner), [`top_up failed ${usdc(31)}`]);
  await assertAllHolds(world);
});

test('a move whose key is too old to be sent again is searched for at the bank, and given up after two days', async () => {
  await passTime(world, 61 * 60_000);
  await balanced();
  const { partner, client } = await newPartner();
  await payAt(client, '2000.00', usdc(21));
  await bank.control('/faults', { on: 'transfer.create', kind: 'error_before' });
  await round('balance-floats');
  await eventually('a move waits', async () => (await movesOf(partner)).length === 1);
  await passTime(world, 24 * 3_600_000);
  await bank.control('DELETE /faults');
  await round('balance-floats');
  await eventually('it was looked for', async () => world.worker?.output().includes('float.not_found') === true);
  assert.deepEqual(await movesOf(partner), [`top_up open ${usdc(31)}`], 'nothing is sent under an old key');
  await passTime(world, 25 * 3_600_000);
  await balanced();
  await balanced();
  assert.deepEqual(await movesOf(partner), [`top_up failed ${usdc(31)}`, `top_up done ${usdc(31)}`]);
  await untilQuiet(database);
  await assertAllHolds(world);
});
