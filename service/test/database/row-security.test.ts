import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { Client } from 'pg';
import { createTestDatabase } from '../harness/database.ts';
import { findPartnerTables } from './schema-rules.ts';
import { seedEveryTable } from './seed-every-table.ts';

const database = await createTestDatabase();
const [mine, theirs] = ['01a1d000-0000-7000-8000-00000000000a', '01a1d000-0000-7000-8000-00000000000b'];
const tables = await asAdmin(database.superuserUrl, async (client) => {
  await seedEveryTable(client, [mine, theirs]);
  return findPartnerTables(client);
});

interface Seen {
  all: number;
  own: number;
}

async function countRows(client: Client, { table, column }: { table: string; column: string }): Promise<Seen> {
  const { rows } = await client.query<Seen>(
    `select count(*)::int as all, (count(*) filter (where ${column} = $1))::int as own from ${table}`,
    [mine],
  );
  assert(rows[0] !== undefined);
  return rows[0];
}

test('there are tables with rows of partners', () => {
  assert(tables.length >= 2, `found ${tables.length}`);
});

for (const table of tables) {
  test(`${table.table} has rows of both partners, so that not seeing them means something`, async () => {
    const seen = await asAdmin(database.superuserUrl, async (client) => countRows(client, table));
    assert(seen.own > 0 && seen.all > seen.own, `add ${table.table} to seed-every-table.ts`);
  });

  test(`faults 44: ${table.table} shows the service no row where no partner is set`, async () => {
    const seen = await asAdmin(database.serviceUrl, async (client) => countRows(client, table));
    assert.deepEqual(seen, { all: 0, own: 0 });
  });

  test(`${table.table} shows the service the rows of the partner that is set, and no others`, async () => {
    for (const environment of ['sandbox', 'live']) {
      const seen = await asAdmin(database.serviceUrl, async (client) => {
        await client.query(
          `select set_config('kelpie.partner_id', $1, false), set_config('kelpie.environment', $2, false)`,
          [mine, environment],
        );
        return countRows(client, table);
      });
      assert(seen.own > 0, `no row in ${environment}`);
      assert.equal(seen.all, seen.own);
    }
  });
}
