import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { kelpieAdmin } from './kelpie-admin.ts';

const database = await createTestDatabase();
const asOwner = { KELPIE_OWNER_DATABASE_URL: database.ownerUrl };

async function countApplied(): Promise<number> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>('select count(*)::int from kelpie.migrations');
    return rows[0]?.count ?? -1;
  });
}

test('a database that is up to date has nothing to plan or apply, before the deploy and after it', async () => {
  for (const option of [[], ['--plan'], ['--after-deploy']]) {
    const done = await kelpieAdmin(database, ['migrate', ...option], asOwner);
    assert.equal(done.code, 0, done.said);
    assert.match(done.said, /^The database is up to date.$/m);
  }
});

test('the plan of a migration names its statements, its locks and what they block, and applies nothing', async () => {
  const applied = await countApplied();
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`delete from kelpie.migrations where name ~ '^0021_'`),
  );
  const plan = await kelpieAdmin(database, ['migrate', '--plan'], asOwner);
  assert.equal(plan.code, 0, plan.said);
  assert.match(plan.said, /^0021_key_authority.sql: before deploy, one transaction$/m);
  assert.match(plan.said, /^ {2}create index api_keys_to_expire on kelpie.api_keys \(expires_at\)/m);
  assert.match(plan.said, /^ {4}api_keys \(about \d+ rows\): share, blocks writes$/m);
  assert.match(plan.said, /^ {4}api_keys \(about \d+ rows\): access exclusive, blocks reads and writes$/m);
  const json = (await kelpieAdmin(database, ['migrate', '--plan', '--json'], asOwner)).data();
  assert.equal(valueAt(listAt(json, 'migrations')[0], 'runs'), 'before deploy');
  assert.equal(await countApplied(), applied - 1);
});

test('a plan can not be asked for together with the migrations for after the deploy', async () => {
  const refused = await kelpieAdmin(database, ['migrate', '--plan', '--after-deploy'], asOwner);
  assert.equal(refused.code, 64, refused.said);
});
