import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { createPartners } from '../../../test/harness/partners.ts';
import { createLogger } from '../logging.ts';
import { openPool } from './pool.ts';
import { inTransaction } from './transaction.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 1, applicationName: 'test-transaction', logger });
after(async () => pool.end());
const [owner, other] = await createPartners(database, 2);
assert(owner !== undefined && other !== undefined);

async function countPartners(context: Parameters<typeof inTransaction>[1]): Promise<number> {
  return inTransaction(pool, context, async (tx) => (await tx.query('select from kelpie.partners')).rows.length);
}

test('the partner of a transaction is forgotten at its end, also where it fails', async () => {
  assert.equal(await countPartners(owner), 1);
  assert.equal(await countPartners('shared'), 0);
  await assert.rejects(
    inTransaction(pool, owner, async (tx) => tx.query('select 1 / 0')),
    { code: '22012' },
  );
  assert.equal(await countPartners('shared'), 0);
});

test('what a transaction wrote is gone where its work throws', async () => {
  await assert.rejects(
    inTransaction(pool, owner, async (tx) => {
      await tx.query(`update kelpie.partners set name = 'Renamed'`);
      throw new Error('changed my mind');
    }),
    /changed my mind/,
  );
  const renamed = inTransaction(pool, owner, async (tx) =>
    tx.query(`select from kelpie.partners where name = 'Renamed'`),
  );
  assert.equal((await renamed).rows.length, 0);
});

test('a connection that is killed between two queries fails its transaction, not the process, and is not used again', async () => {
  const killed = inTransaction(pool, owner, async (tx) => {
    await asAdmin(database.superuserUrl, async (client) => {
      const mine = `from pg_stat_activity where application_name = 'test-transaction'`;
      await client.query(`select pg_terminate_backend(pid) ${mine}`);
      await eventually('it is gone', async () => (await client.query(`select ${mine}`)).rowCount === 0);
    });
    await tx.query('select');
  });
  await assert.rejects(killed);
  assert.equal(await countPartners(owner), 1);
});
