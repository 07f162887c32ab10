import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { startTraffic } from '../harness/traffic.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';
import { builtIndex, createMigrator, listBuiltIndexes } from '../rolling/migrator.ts';

test('faults 39, 75: an index is built under traffic without an error, though its migrator is killed in the middle', async () => {
  const world = await startWorld();
  const { database } = world;
  const migrator = createMigrator({ database, atEnd: after });
  const traffic = startTraffic({ url: world.api.url, key: world.partner.key });
  after(async () => traffic.stop());
  await traffic.more(20);
  await asAdmin(database.superuserUrl, async (older) => {
    // The build waits for this transaction, so that it is killed in its middle.
    await older.query('begin isolation level repeatable read; select');
    const first = migrator.start();
    await eventually('the build waits', async () =>
      asAdmin(database.superuserUrl, async (client) => {
        const { rowCount } = await client.query(
          `select from pg_stat_progress_create_index where datname = current_database() and phase ~ '^waiting'`,
        );
        return rowCount !== 0;
      }),
    );
    await traffic.more(20);
    await migrator.kill(first);
  });
  const left = await listBuiltIndexes(database);
  assert(left.some(({ name, is_valid: isValid }) => name !== builtIndex && !isValid));
  const { code } = await migrator.start().exited;
  assert.equal(code, 0);
  await traffic.more(20);
  await traffic.stop();
  assert.deepEqual(traffic.errors(), []);
  const built = await listBuiltIndexes(database);
  assert(built.length > 1);
  assert(built.every(({ is_valid: isValid }) => isValid));
  await untilQuiet(database, { timeoutMs: 120_000 });
  await assertAllHolds(world);
});
