import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { sendPounds, sendUsdc } from '@kelpie/sandbox-bank/test/topping-up.ts';
import { passTime } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { assertKilled, killAtFailpoint } from '../payouts/crashing.ts';
import { balanceOf, longestPauseMs, openRounds, startFundingWorld, untilDeposit, untilFunded } from './topping-up.ts';

const world = await startFundingWorld();
const { bank, database, partner } = world;
const round = await openRounds(database);
await round('open-funding');
const places = await untilFunded(database, partner);
let expected = 10_000_000_000n;

for (const point of ['bank.list_deposits.before', 'bank.list_deposits.after']) {
  for (const arrivals of [1, 2]) {
    test(`a worker that is killed at ${point}, the ${arrivals}. time, leaves deposits that another credits once`, async () => {
      const killed = await world.restartWorker(killAtFailpoint(point, arrivals));
      const ids = [await sendPounds(bank, places.accountId), await sendUsdc(bank, places.addressId)];
      await round();
      await assertKilled(killed);
      await world.restartWorker();
      await passTime(world, longestPauseMs);
      await round();
      for (const id of ids) await untilDeposit(database, id, 'credited', 60_000);
      expected += 124_690_000n + 99_990_000n;
      assert.equal(await balanceOf(database, partner), expected);
      await assertAllHolds(world);
    });
  }
}

test('workers that are killed in the middle of their transactions credit nothing twice, and nothing not at all', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 30; n += 1) ids.push(await sendUsdc(bank, places.addressId, '1.01'));
  await asAdmin(database.superuserUrl, async (client) => {
    for (let kills = 0; kills < 8; kills += 1) {
      await passTime(world, 61_000);
      await round();
      // As soon as one of them writes, wherever it is.
      await eventually('a transaction is open', async () => {
        const { rowCount } = await client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name = 'kelpie-worker' and datname = current_database() and xact_start is not null`,
        );
        return rowCount !== null && rowCount > 0;
      }).catch(() => undefined);
    }
  });
  world.worker?.kill('SIGKILL');
  await world.restartWorker();
  await passTime(world, longestPauseMs);
  await round();
  for (const id of ids) await untilDeposit(database, id, 'credited', 60_000);
  expected += 30n * 1_000_000n;
  assert.equal(await balanceOf(database, partner), expected);
  await assertAllHolds(world);
});

test('five workers that read the same news at once credit it once', async () => {
  const others = await Promise.all(Array.from({ length: 4 }, async () => world.addWorker()));
  const ids: string[] = [];
  for (let n = 0; n < 20; n += 1) ids.push(await sendUsdc(bank, places.addressId, '1.01'));
  for (let n = 0; n < 10; n += 1) {
    await passTime(world, 61_000);
    await Promise.all(Array.from({ length: 5 }, async () => round()));
  }
  for (const id of ids) await untilDeposit(database, id, 'credited', 60_000);
  for (const other of others) await other.stop();
  expected += 20n * 1_000_000n;
  assert.equal(await balanceOf(database, partner), expected);
  await assertAllHolds(world);
});

test('the database itself refuses to credit a deposit again, to change what was credited, or to lose its history', async () => {
  await asAdmin(database.superuserUrl, async (client) => {
    const refuses = async (sql: string): Promise<void> => {
      await assert.rejects(
        client.query(sql),
        /without its number|does not move|stays what it was|insert-only|duplicate key/,
        sql,
      );
    };
    const set = 'update kelpie.deposits set revision = revision + 1,';
    await refuses(`${set} state = 'pending'`);
    await refuses(`${set} net_micro_usdc = net_micro_usdc + 1`);
    await refuses(`${set} credited_at = now()`);
    await refuses('update kelpie.deposits set bank_state = bank_state || 1::text, revision = revision');
    await refuses(
      `insert into kelpie.deposits (id, partner_id, environment, method, bank_deposit_id, state, revision, bank_state, updated_at)
       select gen_random_uuid(), partner_id, environment, method, bank_deposit_id, 'pending', 1, '', now() from kelpie.deposits limit 1`,
    );
    await refuses('delete from kelpie.deposit_history');
    await refuses('truncate kelpie.deposit_history');
  });
});
