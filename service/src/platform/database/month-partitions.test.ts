import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { Client } from 'pg';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { newId } from '../ids.ts';
import { createLogger } from '../logging.ts';
import { makeMonthPartitions } from './month-partitions.ts';
import { openPool } from './pool.ts';

const database = await createTestDatabase();
const partnerId = '01a1d000-0000-7000-8000-00000000000a';

// A table like those to come: it grows, and it belongs to partners.
await asAdmin(database.superuserUrl, async (client) =>
  client.query(`
    set role kelpie_owner;
    create table kelpie.readings (
      id uuid primary key, partner_id uuid not null references kelpie.partners (id), value int not null
    ) partition by range (id);
    create index readings_by_partner on kelpie.readings (partner_id, id);
    alter table kelpie.readings enable row level security, force row level security;
    create policy service_own on kelpie.readings to kelpie_service using (partner_id = kelpie.current_partner());
    grant select, insert on kelpie.readings to kelpie_service`),
);

async function withService<Result>(work: (pool: ReturnType<typeof openPool>) => Promise<Result>): Promise<Result> {
  const logger = createLogger('test', 'silent');
  const pool = openPool({ url: database.serviceUrl, connections: 4, applicationName: 'test', logger });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Of this file's own table; the others have partitions too. */
async function makeAt(instant: string): Promise<string[]> {
  const made = await withService(async (pool) => makeMonthPartitions(pool, new Date(instant)));
  return made.filter((name) => name.startsWith('readings_'));
}

await asAdmin(database.superuserUrl, async (client) =>
  client.query(`insert into kelpie.partners values ($1, 'readings', 'Readings', 'active', now())`, [partnerId]),
);

async function insertAt(client: Pick<Client, 'query'>, instant: string, value = 0): Promise<void> {
  const id = newId({ now: () => new Date(instant) });
  await client.query('insert into kelpie.readings (id, partner_id, value) values ($1, $2, $3)', [id, partnerId, value]);
}

test("the service's role makes this month's partition and the next three, and repeating it makes none", async () => {
  const made = ['readings_2026_11', 'readings_2026_12', 'readings_2027_01', 'readings_2027_02'];
  assert.deepEqual(await makeAt('2026-11-15T12:00:00Z'), made);
  assert.deepEqual(await makeAt('2026-11-30T23:59:59Z'), []);
  assert.deepEqual(await makeAt('2026-12-01T00:00:00Z'), ['readings_2027_03']);
});

test('the first and the last instant of a month lie in its partition', async () => {
  await asAdmin(database.superuserUrl, async (client) => {
    await insertAt(client, '2026-11-30T23:59:59.999Z', 1);
    await insertAt(client, '2026-12-01T00:00:00.000Z', 2);
    const { rows } = await client.query(
      'select tableoid::regclass::text as partition, value from kelpie.readings order by value',
    );
    assert.deepEqual(rows, [
      { partition: 'kelpie.readings_2026_11', value: 1 },
      { partition: 'kelpie.readings_2026_12', value: 2 },
    ]);
  });
});

test('a row of a month that has no partition is refused rather than lost in a default one', async () => {
  await asAdmin(database.superuserUrl, async (client) => {
    await assert.rejects(insertAt(client, '2031-01-01T00:00:00Z'), { code: '23514' });
  });
});

test('a look-up by id reads one partition', async () => {
  await asAdmin(database.superuserUrl, async (client) => {
    const id = newId({ now: () => new Date('2026-12-24T00:00:00Z') });
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain select from kelpie.readings where id = '${id}'`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    assert.deepEqual(
      plan.match(/readings_20\d\d_\d\d/g)?.filter((name, at, all) => all.indexOf(name) === at),
      ['readings_2026_12'],
    );
  });
});

test("a partition can't be read past its table's row security", async () => {
  await asAdmin(database.serviceUrl, async (client) => {
    await assert.rejects(client.query('select from kelpie.readings_2026_11'), { code: '42501' });
  });
});

test('a new month appears while rows are being inserted, and none of them waits long', async () => {
  await asAdmin(database.superuserUrl, async (client) => {
    const stopped = new AbortController();
    const slowest = (async () => {
      let slowestMs = 0;
      for (let value = 3; !stopped.signal.aborted; value += 1) {
        const startedAt = performance.now();
        await insertAt(client, '2026-11-20T00:00:00Z', value);
        slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      }
      return slowestMs;
    })();
    assert.deepEqual(await makeAt('2027-01-01T00:00:00Z'), ['readings_2027_04']);
    stopped.abort();
    assert((await slowest) < 1_000, `an insert took ${await slowest} ms`);
  });
});

test('a writer that stays open only delays the new month: others do not queue behind it, and the month comes when it is done', async () => {
  await asAdmin(database.superuserUrl, async (slow) => {
    await slow.query('begin');
    await slow.query(`update kelpie.partners set name = 'Slow' where id = $1`, [partnerId]);
    const made = makeAt('2027-02-01T00:00:00Z');
    await asAdmin(database.superuserUrl, async (quick) => {
      for (let value = 0; value < 10; value += 1) {
        const startedAt = performance.now();
        await insertAt(quick, '2026-11-21T00:00:00Z', value);
        assert(performance.now() - startedAt < 1_000, 'it stood behind the partition');
      }
    });
    await slow.query('commit');
    assert.deepEqual(await made, ['readings_2027_05']);
  });
});
