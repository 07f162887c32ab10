import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { addKey, createPartners } from '../../../test/harness/partners.ts';
import { noFailpoint } from '../failpoint.ts';
import { openPool } from '../database/pool.ts';
import { createSingleCalls } from '../database/single-call.ts';
import { createLogger } from '../logging.ts';
import { createLeaseCalls, sweepRateBuckets } from './store.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 4, applicationName: 'test', logger });
after(async () => pool.end());
const calls = createSingleCalls(pool, noFailpoint);
const lease = createLeaseCalls(calls, logger);

/** So slow that nothing of what it gains is seen within a test. */
const slow = { perSecond: 0.001, burst: 20, keyId: null };

async function asSuperuser<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<Row>(sql, values)).rows);
}

async function turnBack(subject: string, seconds: number): Promise<void> {
  await asSuperuser(
    'update kelpie.rate_buckets set filled_at = filled_at - make_interval(secs => $2) where subject = $1',
    [subject, seconds],
  );
}

test('a bucket begins full, gives whole tokens as far as they go, and says what is left', async () => {
  const first = await lease({ ...slow, subject: 'begins', wanted: 15 });
  assert.deepEqual(first, { granted: 15, left: 5, factor: 1 });
  const second = await lease({ ...slow, subject: 'begins', wanted: 15 });
  assert.deepEqual({ ...second, left: Math.floor(second.left) }, { granted: 5, left: 0, factor: 1 });
  assert.equal((await lease({ ...slow, subject: 'begins', wanted: 1 })).granted, 0);
});

test('more than a bucket holds is never given, however it is asked', async () => {
  assert.equal((await lease({ ...slow, subject: 'over', wanted: 1_000 })).granted, 20);
});

test('a bucket fills with the time of the database, to its burst and no further', async () => {
  const order = { subject: 'fills', keyId: null, perSecond: 10, burst: 20, wanted: 20 };
  assert.equal((await lease(order)).granted, 20);
  await turnBack('fills', 1);
  const later = await lease({ ...order, wanted: 5 });
  assert.equal(later.granted, 5);
  assert(later.left >= 5 && later.left < 10, String(later.left));
  await turnBack('fills', 3_600);
  assert.equal((await lease({ ...order, wanted: 100 })).granted, 20);
});

test('a clock that was set back gives nothing, and goes on from there', async () => {
  const order = { subject: 'back', keyId: null, perSecond: 10, burst: 20, wanted: 20 };
  await lease(order);
  await turnBack('back', -3_600);
  assert.equal((await lease(order)).granted, 0);
  await turnBack('back', 1);
  assert.equal((await lease({ ...order, wanted: 10 })).granted, 10);
});

test('the limits of a key are raised by the factor of its partner', async () => {
  const [partnerEnvironment] = await createPartners(database, 1);
  assert(partnerEnvironment !== undefined);
  const { keyId } = await addKey(database, partnerEnvironment);
  await asSuperuser('update kelpie.partners set rate_factor = 3 where id = $1', [partnerEnvironment.partnerId]);
  const leased = await lease({ ...slow, subject: 'raised', keyId, wanted: 50 });
  assert.deepEqual(leased, { granted: 50, left: 10, factor: 3 });
});

test('a factor below one is refused by the database', async () => {
  const [partnerEnvironment] = await createPartners(database, 1);
  await assert.rejects(
    asSuperuser('update kelpie.partners set rate_factor = 0 where id = $1', [partnerEnvironment?.partnerId]),
    /rate_factor_in_range/,
  );
});

test('leases that come together are one call, and each gets the answer of its own place', async () => {
  let asked = 0;
  const counting = createLeaseCalls(
    {
      ...calls,
      async call(call, values) {
        asked += 1;
        return calls.call(call, values);
      },
    },
    logger,
  );
  const wants = Array.from({ length: 40 }, (_, at) => at % 20);
  const leased = await Promise.all(
    wants.map(async (wanted, at) => counting({ ...slow, subject: `together ${(at * 7) % 40}`, wanted })),
  );
  assert.deepEqual(
    leased.map(({ granted }) => granted),
    wants,
  );
  assert.equal(asked, 1);
});

test('faults 32: many who lease the same buckets at once, in any order, get no more than they hold, and never deadlock', async () => {
  const subjects = Array.from({ length: 12 }, (_, at) => `shared ${at}`);
  const lanes = await Promise.all(
    Array.from({ length: 8 }, async (_, lane) => {
      const own = createLeaseCalls(calls, logger);
      let granted = 0;
      for (let round = 0; round < 25; round += 1) {
        const order = lane % 2 === 0 ? subjects : subjects.toReversed();
        const leased = await Promise.all(order.map(async (subject) => own({ ...slow, subject, wanted: 1 })));
        granted += leased.reduce((sum, one) => sum + one.granted, 0);
      }
      return granted;
    }),
  );
  assert.equal(
    lanes.reduce((sum, granted) => sum + granted, 0),
    subjects.length * slow.burst,
  );
  const [stats] = await asSuperuser<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  assert.equal(stats?.deadlocks, 0);
});

test('buckets that are full again are swept, and others kept', async () => {
  await lease({ ...slow, subject: 'kept', wanted: 5 });
  await lease({ ...slow, subject: 'swept', wanted: 5 });
  await turnBack('swept', 10_000);
  assert((await sweepRateBuckets(calls)) >= 1);
  const rows = await asSuperuser<{ subject: string }>(
    `select subject from kelpie.rate_buckets where subject in ('kept', 'swept')`,
  );
  assert.deepEqual(rows, [{ subject: 'kept' }]);
});

test('the service reaches the buckets by these functions alone', async () => {
  await assert.rejects(pool.query('select * from kelpie.rate_buckets'), /permission denied/);
  await assert.rejects(pool.query('delete from kelpie.rate_buckets'), /permission denied/);
});
