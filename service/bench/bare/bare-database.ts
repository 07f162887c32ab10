import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { asAdmin, createDatabase, dropDatabase, ensureRoles, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { settleDatabase, type BenchServer } from '../bench-server.ts';
import { numberIds, type NumberedIds } from '../numbered-ids.ts';
import { createPgbench, type Pgbench } from '../pgbench.ts';
import { plantPayouts, type BarePartners } from './calls.ts';

/** PostgreSQL alone: the frozen reference in a database of its own, and pgbench that calls it. */
export interface BareDatabase {
  partners: BarePartners;
  /** Payouts to read. */
  planted: NumberedIds;
  pgbench: Pgbench;
  /** At the end. A figure that counts payouts which were never created is worthless. */
  assertAllMade(): Promise<void>;
}

function readText(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8');
}

async function createPartners(superuserUrl: string, count: number): Promise<BarePartners> {
  const now = new Date();
  const partners = { count, ids: numberIds(now, 0), keyIds: numberIds(now, 1) };
  const numbers = Array.from({ length: count }, (_, number) => number);
  await asAdmin(superuserUrl, async (client) =>
    client.query(readText('partners.sql'), [
      numbers.map((number) => partners.ids.at(number)),
      numbers.map((number) => partners.keyIds.at(number)),
    ]),
  );
  return partners;
}

async function countPayouts(superuserUrl: string): Promise<number> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ count: string }>('select count(*) from bare.payouts');
    return Number(rows[0]?.count);
  });
}

export async function createBareDatabase(
  server: BenchServer,
  name: string,
  partnerCount: number,
): Promise<BareDatabase> {
  await ensureRoles(server.adminUrl);
  await dropDatabase(server.adminUrl, name);
  await createDatabase(server.adminUrl, name);
  server.atEnd(async () => dropDatabase(server.adminUrl, name));
  const superuserUrl = urlFor(server.adminUrl, name);
  const serviceUrl = urlFor(server.adminUrl, name, 'kelpie_service');
  await asAdmin(superuserUrl, async (client) => {
    for (const file of ['tables.sql', 'functions.sql', 'batch.sql']) await client.query(readText(file));
  });
  const partners = await createPartners(superuserUrl, partnerCount);
  const planted = numberIds(new Date(), 2);
  await plantPayouts(serviceUrl, partners, planted);
  await settleDatabase(superuserUrl);
  const pgbench = createPgbench({ ...server, serviceUrl });
  server.atEnd(async () => pgbench.kill());
  const payoutsAtFirst = await countPayouts(superuserUrl);
  return {
    partners,
    planted,
    pgbench,
    async assertAllMade() {
      const counted = await pgbench.end();
      const made = (await countPayouts(superuserUrl)) - payoutsAtFirst;
      assert.equal(made, counted, 'pgbench did not create the payouts that were counted');
    },
  };
}
