// npm run archive:trial [-- --payouts 200000]: makes a month of old payouts, moves it into the archive and back under traffic, and
// compares every answer of a sample byte for byte. The last line is JSON.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster, stopCluster } from '@kelpie/dev/postgres/cluster.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { verifyNightly } from '../src/app/verification/verify-nightly.ts';
import { createDirectoryStore } from '../src/archive/index.ts';
import { openPool } from '../src/platform/database/pool.ts';
import { createLogger } from '../src/platform/logging.ts';
import { kelpieAdmin } from '../test/app/commands/kelpie-admin.ts';
import { call, type Client } from '../test/harness/client.ts';
import type { TestDatabase } from '../test/harness/database.ts';
import { addKey, createSimulatedPartner, depositToEach } from '../test/harness/partners.ts';
import { startApi } from '../test/harness/processes.ts';
import { testSecrets } from '../test/harness/secrets.ts';
import { loadPayouts } from './load-payouts.ts';
import { startTraffic } from './payout-traffic.ts';
import { createProgress } from './progress.ts';

const { values } = parseArgs({ options: { payouts: { type: 'string', default: '200000' } } });
const payouts = Number(values.payouts);
if (!Number.isSafeInteger(payouts) || payouts < 1) {
  console.error('Say how many: npm run archive:trial -- --payouts NUMBER');
  process.exit(2);
}

const partners = 20;
const samplePayouts = 200;
/** For the payouts of the traffic, however long the trial takes. */
const enoughMicroUsdc = 1_000_000_000_000n;
const name = 'kelpie_archive_trial';
const key = Buffer.alloc(32, 5);
const say = (text: string): void => console.error(text);

const now = new Date();
const begins = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 14, 1));
const ends = new Date(Date.UTC(begins.getUTCFullYear(), begins.getUTCMonth() + 1, 1));
const month = begins.toISOString().slice(0, 7);

async function closeDays(database: TestDatabase, folder: string): Promise<number> {
  const logger = createLogger('bench', 'silent');
  const open = (url: string) => openPool({ url, connections: 1, applicationName: 'bench', logger, pace: 'unhurried' });
  const [reader, pool] = [open(database.readerUrl), open(database.serviceUrl)];
  const clock = { now: () => new Date(ends.getTime() + 3 * 24 * 3_600_000) };
  const files = { anchorFile: path.join(folder, 'anchors'), archiveStore: createDirectoryStore(folder) };
  try {
    const deps = { reader, pool, clock, logger, key, ...files };
    return (await verifyNightly(deps, new AbortController().signal)).differences;
  } finally {
    await Promise.all([reader.end(), pool.end()]);
  }
}

async function databaseMb(database: TestDatabase): Promise<number> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ mb: number }>(
      'select round(pg_database_size(current_database()) / 1e6)::int as mb',
    );
    return rows[0]?.mb ?? 0;
  });
}

function filesMb(folder: string): number {
  const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(path.join(folder, file)).size, 0);
  return Math.round(bytes / 1e5) / 10;
}

interface Owned {
  client: Client;
  ids: string[];
}

/** Some payouts of some partners, each with a key of its partner. */
async function chooseSample(database: TestDatabase, url: string): Promise<Owned[]> {
  const rows = await asAdmin(database.superuserUrl, async (client) => {
    const found = await client.query<{ partner_id: string; ids: string[] }>(
      `select partner_id, (array_agg(id order by md5(id::text)))[1:$1] as ids from kelpie.payouts
       group by partner_id order by partner_id limit 10`,
      [samplePayouts / 10],
    );
    return found.rows;
  });
  const chosen: Owned[] = [];
  for (const { partner_id: partnerId, ids } of rows) {
    const { key: secret } = await addKey(database, { partnerId, environment: 'sandbox' });
    chosen.push({ client: { url, key: secret }, ids });
  }
  return chosen;
}

/** What partners read of the month: payouts, histories, lists, one file and the statement. */
async function readSample(sample: readonly Owned[]): Promise<string[]> {
  const answers: string[] = [];
  const created = `created_after=${begins.toISOString()}&created_before=${ends.toISOString()}`;
  for (const { client, ids } of sample) {
    const day = new Date(begins.getTime() + 10 * 24 * 3_600_000).toISOString();
    const next = new Date(begins.getTime() + 11 * 24 * 3_600_000).toISOString();
    const paths = [
      ...ids.flatMap((id) => [`/v1/payouts/${id}`, `/v1/payouts/${id}/history`]),
      `/v1/payouts?${created}&limit=100`,
      `/v1/payouts?${created}&status=completed&limit=37`,
      `/v1/payouts.csv?created_after=${day}&created_before=${next}`,
      `/v1/statement?month=${month}&limit=100`,
    ];
    for (const one of paths) {
      const { status, text } = await call(client, one);
      answers.push(`${one} ${status} ${text}`);
    }
  }
  return answers;
}

function countDifferent(before: readonly string[], after: readonly string[]): number {
  return before.filter((text, at) => text !== after[at]).length;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Math.round((performance.now() - startedAt) / 100) / 10;
}

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-archive-trial-'));
const { adminUrl, startedHere } = await startCluster('bench');
const endings: (() => Promise<unknown>)[] = [];
try {
  const urls = await prepareDatabase(adminUrl, { database: name, anew: true });
  await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
  endings.push(async () => dropDatabase(adminUrl, name));
  const database = { ...urls, superuserUrl: urlFor(adminUrl, name) };
  const during = { from: begins, until: new Date(ends.getTime() - 60_000) };
  await loadPayouts(database, { payouts, partners, during, onProgress: createProgress(payouts, say) });
  say('Closing the days of the month');
  const open = await closeDays(database, folder);
  const env = { KELPIE_ARCHIVE: `file://${folder}`, KELPIE_LEDGER_KEY: key.toString('hex') };
  const api = await startApi({ database, env, atEnd: (end) => void endings.push(end) });
  const sample = await chooseSample(database, api.url);
  const before = await readSample(sample);
  const payer = await createSimulatedPartner(database);
  await depositToEach(database, [payer], enoughMicroUsdc);
  const traffic = startTraffic(() => ({ url: api.url, key: payer.key }));
  const admin = async (...args: string[]): Promise<void> => {
    say(`kelpie-admin ${args.join(' ')}`);
    const { code, said } = await kelpieAdmin(database, args, env);
    if (code !== 0) throw new Error(said);
  };
  const mbBefore = await databaseMb(database);
  const archiveSeconds = await timed(async () => admin('archive', 'month', month));
  const mbArchived = await databaseMb(database);
  const mbOfFiles = filesMb(folder);
  const inArchive = countDifferent(before, await readSample(sample));
  const verifySeconds = await timed(async () => admin('ledger', 'verify', '--all'));
  const returnSeconds = await timed(async () => admin('archive', 'return', month));
  const mbReturned = await databaseMb(database);
  const back = countDifferent(before, await readSample(sample));
  const { created, refused, longestMs } = await traffic.stop();
  console.log(
    JSON.stringify({
      payouts,
      answers: before.length,
      database_mb: { before: mbBefore, archived: mbArchived, returned: mbReturned },
      files_mb: mbOfFiles,
      seconds: { archive: archiveSeconds, verify: verifySeconds, return: returnSeconds },
      traffic: { created, refused, longest_ms: longestMs },
      differences: open + inArchive + back,
    }),
  );
  process.exitCode = open + inArchive + back + Object.keys(refused).length === 0 ? 0 : 1;
} finally {
  for (const end of endings.toReversed()) await end();
  rmSync(folder, { recursive: true });
  if (startedHere) await stopCluster('bench');
}
