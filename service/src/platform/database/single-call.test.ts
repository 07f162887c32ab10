import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { noFailpoint } from '../failpoint.ts';
import { createLogger } from '../logging.ts';
import { ApiError } from '../api-error.ts';
import { openPool } from './pool.ts';
import { createSingleCalls } from './single-call.ts';

const database = await createTestDatabase();
const pool = openPool({
  url: database.serviceUrl,
  connections: 1,
  applicationName: 'single-call-test',
  logger: createLogger('test', 'silent'),
});
after(async () => pool.end());
const calls = createSingleCalls(pool, noFailpoint);
const one = { name: 'one', text: 'select 1 as one' };

test('faults 31: while every connection is in use a caller is told 503 within 3 s, and is served once one is free', async () => {
  const held = await pool.connect();
  const startedAt = performance.now();
  try {
    await assert.rejects(calls.call(one, []), (error) => error instanceof ApiError && error.code === 'unavailable');
    assert(performance.now() - startedAt < 3_000);
  } finally {
    held.release();
  }
  assert.deepEqual(await calls.call(one, []), [{ one: 1 }]);
});

async function admin(text: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) => client.query(text));
}

test('a column that a migration adds to what a prepared call returns does not fail the next call', async () => {
  await admin(`
    create table kelpie.grown (id integer not null);
    insert into kelpie.grown values (1);
    grant select on kelpie.grown to kelpie_service`);
  const readGrown = { name: 'read_grown', text: 'select * from kelpie.grown' };
  assert.deepEqual(await calls.call(readGrown, []), [{ id: 1 }]);
  await admin('alter table kelpie.grown add column note text');
  assert.deepEqual(await calls.call(readGrown, []), [{ id: 1, note: null }]);
});
