import assert from 'node:assert/strict';
import { prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import type { TestDatabase } from '../test/harness/database.ts';
import { createBenchPartners, type BenchPartners } from './bench-partners.ts';
import { settleDatabase, type BenchServer } from './bench-server.ts';
import type { HttpLoad, PayoutsMade } from './http-load.ts';
import { startMeasuredApi, type MeasuredApi } from './measured-api.ts';
import { plantPayouts } from './plant-payouts.ts';
import type { PlantedPayout } from './requests.ts';

/** A database with partners who can pay, and an api that serves it. */
export interface BenchDatabase {
  database: TestDatabase;
  partners: BenchPartners;
  api: MeasuredApi;
  /** Payouts to read. */
  planted: readonly PlantedPayout[];
  /** How many payouts there were before the first slice. */
  payoutsAtFirst: number;
}

/** The migrations are the real ones. `fill` writes what should be in the database before the first payout. */
export async function createBenchDatabase(
  server: BenchServer,
  name: string,
  partnerCount: number,
  fill: (database: TestDatabase) => Promise<void> = async () => undefined,
): Promise<BenchDatabase> {
  const urls = await prepareDatabase(server.adminUrl, { database: name, anew: true });
  server.atEnd(async () => dropDatabase(server.adminUrl, name));
  const database = { ...urls, superuserUrl: urlFor(server.adminUrl, name) };
  await fill(database);
  const partners = await createBenchPartners(database, partnerCount);
  const api = await startMeasuredApi(database.serviceUrl);
  server.atEnd(async () => api.stop());
  const planted = await plantPayouts(api, partners);
  await settleDatabase(database.superuserUrl);
  return { database, partners, api, planted, payoutsAtFirst: await countPayouts(database.superuserUrl) };
}

export async function countPayouts(superuserUrl: string): Promise<number> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ count: string }>('select count(*) from kelpie.payouts');
    return Number(rows[0]?.count);
  });
}

/** At the end. A figure that counts payouts which were never created is worthless. */
export async function assertAllMade(benches: readonly BenchDatabase[], http: HttpLoad): Promise<void> {
  for (const { database, api, payoutsAtFirst } of benches) {
    const made = (await countPayouts(database.superuserUrl)) - payoutsAtFirst;
    assertMade(made, http.payoutsMade(api.port));
  }
}

export function assertMade(made: number, { counted, unclear }: PayoutsMade): void {
  const isRight = made >= counted && made <= counted + unclear;
  assert(isRight, `${made} payouts were created; ${counted} were counted, and ${unclear} have no clear answer`);
}
