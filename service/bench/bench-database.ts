import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findPrograms, removeCluster, startCluster, type ClusterName } from '@kelpie/dev/postgres/cluster.ts';
import { prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { call } from '../test/harness/client.ts';
import type { TestDatabase } from '../test/harness/database.ts';
import { createBenchPartners, type BenchPartners } from './bench-partners.ts';
import { plantPayouts, readCallValues, type CallValues } from './create-call.ts';
import type { HttpLoad } from './http-load.ts';
import { startMeasuredApi, type MeasuredApi } from './measured-api.ts';
import { numberIds, type NumberedIds } from './numbered-ids.ts';
import { createPgbench, type Pgbench } from './pgbench.ts';
import { findPostmaster } from './processor-time.ts';
import { orderBody } from './requests.ts';

/** A PostgreSQL server to be measured. */
export interface BenchServer {
  adminUrl: string;
  programs: string;
  postmaster: number;
  /** For what pgbench reads and writes. */
  folder: string;
  /** Runs when all is over, in the opposite order. */
  atEnd(end: () => Promise<unknown>): void;
  end(): Promise<void>;
}

export async function startBenchServer(cluster: ClusterName): Promise<BenchServer> {
  const endings: (() => Promise<unknown>)[] = [];
  const programs = await findPrograms();
  const { adminUrl } = await startCluster(cluster);
  // Another cluster is somebody else's; this one is nobody's but ours.
  if (cluster === 'bench') endings.push(async () => removeCluster(cluster));
  const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-bench-'));
  endings.push(async () => rmSync(folder, { recursive: true }));
  return {
    adminUrl,
    programs,
    folder,
    postmaster: await findPostmaster(adminUrl),
    atEnd: (end) => void endings.push(end),
    async end() {
      for (const end of endings.splice(0).toReversed()) await end();
    },
  };
}

/** A database with partners who can pay, an api that serves it, and pgbench that does the same without the api. */
export interface BenchDatabase {
  database: TestDatabase;
  partners: BenchPartners;
  api: MeasuredApi;
  pgbench: Pgbench;
  /** What pgbench gives create_payout. */
  values: CallValues;
  /** Payouts that are there to be read. */
  planted: NumberedIds;
  /** How many payouts there were before the first slice. */
  payoutsAtFirst: number;
}

/** The migrations are the real ones. `fill` puts into the database what shall be there before anybody pays. */
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
  const values = await readCallValues(database, await orderPattern(api, partners));
  const planted = numberIds(new Date(), 2);
  await plantPayouts(database, partners, values, planted);
  // What was written until now is no part of what is measured.
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  });
  const pgbench = createPgbench({ ...server, ...database });
  server.atEnd(async () => pgbench.kill());
  return {
    database,
    partners,
    pgbench,
    api,
    values,
    planted,
    payoutsAtFirst: await countPayouts(database),
  };
}

/** The payout whose rows pgbench then imitates. */
async function orderPattern({ port }: MeasuredApi, { secrets }: BenchPartners): Promise<string> {
  const client = { url: `http://127.0.0.1:${port}`, key: secrets[0] ?? '' };
  const headers = { 'idempotency-key': '00000000-pattern-of-all-others-000000' };
  const { status, id, text } = await call(client, '/v1/payouts', { method: 'POST', body: orderBody, headers });
  assert.equal(status, 201, text);
  return id;
}

async function countPayouts({ superuserUrl }: Pick<TestDatabase, 'superuserUrl'>): Promise<number> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ count: string }>('select count(*) from kelpie.payouts');
    return Number(rows[0]?.count);
  });
}

/** At the end. A figure that counted what was never made would be worth nothing. */
export async function assertAllMade(benches: readonly BenchDatabase[], http: HttpLoad): Promise<void> {
  let counted = http.payoutsMade();
  let made = 0;
  for (const { database, payoutsAtFirst, pgbench } of benches) {
    counted += await pgbench.end();
    made += (await countPayouts(database)) - payoutsAtFirst;
  }
  assert.equal(made, counted, 'the payouts that were counted are not those that were made');
}
