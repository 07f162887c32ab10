import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { createPartners } from '../../../test/harness/partners.ts';
import { createLogger } from '../logging.ts';
import { openPool } from './pool.ts';
import { inTransaction } from './transaction.ts';
import { CommitUncertain } from './unavailable.ts';

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
      await tx.query(`update kelpie.partners set billing_email = 'renamed@partner.test'`);
      throw new Error('changed my mind');
    }),
    /changed my mind/,
  );
  const renamed = inTransaction(pool, owner, async (tx) =>
    tx.query(`select from kelpie.partners where billing_email = 'renamed@partner.test'`),
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

test('a transaction in which an error was swallowed is not called committed', async () => {
  const swallowed = inTransaction(pool, owner, async (tx) => {
    await tx.query(`update kelpie.partners set billing_email = 'renamed@partner.test'`);
    await tx.query('select 1 / 0').catch(() => undefined);
  });
  await assert.rejects(swallowed, /rolled back/);
});

test('faults 10: a commit that the server warns about is not called committed', async () => {
  const warned = inTransaction(pool, 'shared', async (tx) => {
    // A notice that is sent at the commit, as the one about a standby is.
    await tx.query(`create temp table late (id int) on commit drop`);
    await tx.query(
      `create function pg_temp.warn() returns trigger language plpgsql as 'begin raise warning ''late''; return null; end'`,
    );
    await tx.query(
      `create constraint trigger warn after insert on late deferrable initially deferred for each row execute function pg_temp.warn()`,
    );
    await tx.query('insert into late values (1)');
  });
  await assert.rejects(warned, CommitUncertain);
});

test("a transaction that ended can not be used any more: its connection may be another partner's", async () => {
  const kept = await inTransaction(pool, owner, async (tx) => tx);
  await inTransaction(pool, other, async () => {
    await assert.rejects(kept.query('select from kelpie.partners'), /has ended/);
  });
});

test('faults 37: a database that falls silent is noticed within 10 s', async (t) => {
  const { hostname, port, href } = new URL(database.serviceUrl);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  t.after(proxy.close);
  const url = href.replace(`:${port}/`, `:${proxy.port}/`);
  const behind = openPool({ url, connections: 1, applicationName: 'test-silent', logger, pace: 'request' });
  const startedAt = performance.now();
  const silent = inTransaction(behind, owner, async (tx) => {
    proxy.setFault({ kind: 'black-hole' });
    await tx.query('select');
  });
  await assert.rejects(silent, { code: 'unavailable' });
  assert(performance.now() - startedAt < 10_000);
  await behind.end();
});
