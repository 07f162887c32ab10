import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { recording } from '../../../test/programs/recording-queue.ts';
import { openPool } from '../database/pool.ts';
import { inTransaction } from '../database/transaction.ts';
import { installJobEngine, openJobSender } from './jobs.ts';
import { createLogger } from '../logging.ts';
import { noRowMacs } from '../row-mac.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const ownerPool = openPool({ url: database.ownerUrl, connections: 2, applicationName: 'test', logger });
await installJobEngine(ownerPool, [recording], logger);
await ownerPool.end();

/** How many may connect besides superusers; -1 for as many as want to. */
async function letConnect(connections: number): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    await client.query(`alter database ${rows[0]?.name} connection limit ${connections}`);
  });
}

test('a process that began without its database sends jobs once that answers', async () => {
  await letConnect(0);
  const url = database.serviceUrl;
  const enginePool = openPool({ url, connections: 1, applicationName: 'test', logger });
  const pool = openPool({ url, connections: 1, applicationName: 'test', logger });
  const sender = openJobSender(enginePool, logger);
  after(async () => {
    await sender.stop();
    await enginePool.end();
    await pool.end();
  });
  const nowhere = {
    query: async () => Promise.reject(new Error('no database')),
    afterCommit: () => undefined,
    rowMacs: noRowMacs,
  };
  await assert.rejects(sender.enqueue(nowhere, recording, {}));
  await letConnect(-1);
  // The one connection of the pool is held meanwhile: the engine has its own.
  const jobId = await inTransaction(pool, 'shared', async (tx) => sender.enqueue(tx, recording, {}));
  assert.match(jobId, /./);
});
