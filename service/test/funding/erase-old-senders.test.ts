import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { eraseOldSenders } from '../../src/funding/erase-old-senders.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { eraseInRounds } from '../../src/platform/retention/erase-in-rounds.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createPartners } from '../harness/partners.ts';

const database = await createTestDatabase();
const [partner] = await createPartners(database, 1, 'live');
const pool = openPool({
  url: database.serviceUrl,
  connections: 2,
  applicationName: 'test',
  logger: createLogger('test', 'silent'),
});
after(async () => pool.end());
const calls = createSingleCalls(pool, noFailpoint);
const yearMs = 365.25 * 24 * 60 * 60_000;

/** Of a worker whose clock is wrong. */
const fiftyYearsOn = { now: (): Date => new Date(Date.now() + 50 * yearMs) };

async function admin<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<Row>(sql, values)).rows);
}

async function plantOf(years: number): Promise<string> {
  const id = newId({ now: () => new Date(Date.now() - years * yearMs) });
  await admin(
    `insert into kelpie.deposits (
       id, partner_id, environment, method, bank_deposit_id, state, revision, bank_state, sender_encrypted, updated_at
     ) values ($1::text::uuid, $2, 'live', 'bank_transfer', $1::text, 'pending', 1, 'pending', '\\x01', now())`,
    [id, partner?.partnerId],
  );
  return id;
}

async function erase(): Promise<void> {
  await eraseInRounds(eraseOldSenders, { calls, clock: fiftyYearsOn }, new AbortController().signal);
}

test('who sent a top-up is erased after six years by the clock of the database, and each run is recorded', async () => {
  const old = [await plantOf(6.5), await plantOf(6.1)];
  const young = await plantOf(5.9);
  await erase();
  assert.deepEqual(
    await admin(`select id, sender_encrypted is null as is_gone, revision, state from kelpie.deposits order by id`),
    [
      ...old.map((id) => ({ id, is_gone: true, revision: 1, state: 'pending' })),
      { id: young, is_gone: false, revision: 1, state: 'pending' },
    ],
  );
  const listRuns = async (): Promise<object[]> =>
    admin(`select removed from kelpie.retention_runs where job = 'erase-old-senders'`);
  assert.deepEqual(await listRuns(), [{ removed: '2' }]);
  await erase();
  assert.deepEqual(await listRuns(), [{ removed: '2' }], 'a second run of the day finds nothing more');
});

test('no other way forgets a sender, and nothing else changes with it', async () => {
  const [old, young] = [await plantOf(6.2), await plantOf(5.8)];
  for (const [sql, id] of [
    ['update kelpie.deposits set sender_encrypted = null where id = $1', young],
    [`update kelpie.deposits set sender_encrypted = null, bank_state = 'x' where id = $1`, old],
    [`update kelpie.deposits set sender_encrypted = '\\x02' where id = $1`, old],
  ] as const)
    await assert.rejects(admin(sql, [id]), /a change of a deposit without its number/);
});
