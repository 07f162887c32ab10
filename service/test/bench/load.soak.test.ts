import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startSandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { explainGet } from '../../bench/explain-get.ts';
import { loadPayouts } from '../../bench/load-payouts.ts';
import { createTestDatabase } from '../harness/database.ts';
import { assertAllHolds, countStates } from '../harness/invariants.ts';

test('payouts that were loaded keep every invariant, and one of them is found in its own month alone', async () => {
  const database = await createTestDatabase();
  const bank = await startSandboxBank({});
  // The second finds months, partners and wallets of the first.
  await loadPayouts(database, { payouts: 2_000, partners: 7 });
  await loadPayouts(database, { payouts: 500, partners: 1 });
  assert.deepEqual(await countStates(database), { completed: 2_500 });
  await assertAllHolds({ database, bank, processes: [], hasEvents: false });
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ keys: string; activities: string; months: string }>(
      `select (select count(*) from kelpie.idempotency_keys) as keys, (select count(*) from kelpie.activity) as activities,
         (select count(distinct tableoid) from kelpie.payouts) as months`,
    ),
  );
  assert.deepEqual(
    { ...rows[0], months: Number(rows[0]?.months) >= 6 },
    { keys: '2500', activities: '2500', months: true },
  );
  const { partitionsRead, partitions } = await explainGet(database);
  assert.equal(partitionsRead, 1);
  assert(partitions >= 7, `${partitions} months`);
});
