import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { depositForAll } from '../../bench/deposits.ts';
import { verifyNightly } from '../../src/app/verification/verify-nightly.ts';
import { createDirectoryStore } from '../../src/archive/index.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { makeMonths } from '../billing/booked-wallets.ts';
import { createPayout, payoutBody, type Client } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { addKey, createPartners, type TestPartner } from '../harness/partners.ts';
import { startApi, startWorker, type ApiProcess } from '../harness/processes.ts';
import { untilQuiet } from '../harness/waits.ts';

const dayMs = 24 * 3_600_000;

/** The key of the closed days and of archived months. */
const ledgerKey = 'e5'.repeat(32);

export interface OldMonth {
  database: TestDatabase;
  /** As 2025-09: the youngest that may leave. */
  month: string;
  folder: string;
  /** For every process that reads the archive, and for who moves months. */
  env: Readonly<Record<string, string>>;
  anchorFile: string;
  partners: readonly (TestPartner & { payouts: readonly { id: string; key: string }[] })[];
  /** An api of today. */
  api: ApiProcess;
  clientOf(partner: TestPartner): Client;
  closeDays(until: Date): Promise<number>;
}

/** A folder that is gone at the end of the test file. */
function createFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-archive-'));
  after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The youngest month that may leave the database. */
function oldMonth(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 14, 1));
}

/** Payouts of two partners on the last days of a month, and on the first of the next one, made by real processes of then. */
export async function startOldMonth({ each = 6 }: { each?: number } = {}): Promise<OldMonth> {
  const now = new Date();
  const begins = oldMonth(now);
  const ends = new Date(Date.UTC(begins.getUTCFullYear(), begins.getUTCMonth() + 1, 1));
  const database = await createTestDatabase();
  await makeMonths(database, { from: begins.toISOString().slice(0, 11).replace('T', 'Z'), months: 14 });
  const clock = createTestClock();
  const at = (instant: number): void => clock.move(instant - Date.now() - shift);
  let shift = 0;
  const moveTo = (instant: number): void => {
    at(instant);
    shift = instant - Date.now();
  };
  moveTo(ends.getTime() - 3 * dayMs);
  const contexts = await createPartners(database, 2);
  const began = new Date(ends.getTime() - 4 * dayMs);
  await depositForAll(
    database,
    contexts.map(({ partnerId }) => partnerId),
    10_000_000_000n,
    { now: () => began },
  );
  const env = { KELPIE_TEST_CLOCK_FILE: clock.file };
  const [then, worker] = await Promise.all([startApi({ database, env }), startWorker({ database, env })]);
  const partners = [];
  for (const context of contexts) {
    const partner = { ...context, ...(await addKey(database, context)), walletId: '' };
    partners.push({ ...partner, payouts: await payEach({ url: then.url, key: partner.key }, each) });
  }
  // These come to their end in the month, and so leave with all that was posted for them.
  await untilQuiet(database);
  // Some around midnight of the last day: what they post is in the next month.
  moveTo(ends.getTime() - 500);
  for (const partner of partners) partner.payouts.push(...(await payEach({ url: then.url, key: partner.key }, 2)));
  await untilQuiet(database);
  moveTo(ends.getTime() + dayMs);
  for (const partner of partners) partner.payouts.push(...(await payEach({ url: then.url, key: partner.key }, 1)));
  await untilQuiet(database);
  await Promise.all([then.stop(), worker.stop()]);
  const folder = createFolder();
  const anchorFile = path.join(folder, 'anchors');
  const archiveEnv = {
    KELPIE_ARCHIVE: `file://${folder}`,
    KELPIE_LEDGER_KEY: ledgerKey,
    KELPIE_LEDGER_ANCHORS: anchorFile,
  };
  const api = await startApi({ database, env: archiveEnv });
  return {
    database,
    month: begins.toISOString().slice(0, 7),
    folder,
    env: archiveEnv,
    anchorFile,
    partners,
    api,
    clientOf: ({ key }) => ({ url: api.url, key }),
    closeDays: async (until) => closeDays(database, { until, anchorFile, folder }),
  };
}

async function payEach(client: Client, count: number): Promise<{ id: string; key: string }[]> {
  const payouts = [];
  for (let nth = 0; nth < count; nth += 1) {
    const key = `old-${client.key.slice(-8)}-${crypto.randomUUID()}`;
    const { id, status, text } = await createPayout(client, payoutBody({ reference: `Order ${nth % 3}` }), key);
    if (status !== 201) throw new Error(`no payout: ${text}`);
    payouts.push({ id, key });
  }
  return payouts;
}

/** Verifies and closes every day until then, as the nights did. Says how many differences there are. */
async function closeDays(
  database: TestDatabase,
  { until, anchorFile, folder }: { until: Date; anchorFile: string; folder: string },
): Promise<number> {
  const logger = createLogger('test', 'silent');
  const open = (url: string) => openPool({ url, connections: 1, applicationName: 'test', logger, pace: 'unhurried' });
  const [reader, pool] = [open(database.readerUrl), open(database.serviceUrl)];
  try {
    const key = Buffer.from(ledgerKey, 'hex');
    const archiveStore = createDirectoryStore(folder);
    const deps = { reader, pool, clock: { now: () => until }, logger, key, anchorFile, archiveStore };
    const { differences } = await verifyNightly(deps, new AbortController().signal);
    return differences;
  } finally {
    await Promise.all([reader.end(), pool.end()]);
  }
}
