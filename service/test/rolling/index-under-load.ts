// npm run migrations:under-load [-- --rows N --per-second N]: builds an index on a large table while payouts are created, kills
// the migrator in the middle and runs it again. Closes with a JSON line; exits with 1 where a payout failed or was lost, or
// the index was not built. The time limits are goals for a machine of its own: the line states them, and nothing fails by them.
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startCluster, stopCluster } from '@kelpie/dev/postgres/cluster.ts';
import { prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { settleDatabase, startBenchServer, type BenchServer } from '../../bench/bench-server.ts';
import type { TestDatabase } from '../harness/database.ts';
import { startWorld } from '../harness/world.ts';
import { builtIndex, createMigrator, listBuiltIndexes, type Migrator } from './migrator.ts';
import { plantEntries } from './plant-entries.ts';
import { startSteadyPayouts, type SteadyFigures } from './steady-payouts.ts';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '5000000' }, 'per-second': { type: 'string', default: '20' } },
});
const rows = Number(values.rows);
const perSecond = Number(values['per-second']);
const say = (text: string): void => console.error(text);
/** Each wallet pays for some 5,000 payouts. */
const partnerCount = 6;
/** Before the migration, to compare with, and after it. */
const quietSeconds = 20;

/** Of the largest partition, which payouts are written to. */
async function buildIsHalfDone({ superuserUrl }: TestDatabase): Promise<boolean> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows: found } = await client.query<{ half: boolean }>(
      `select blocks_total > 0 and blocks_done > blocks_total / 2 as half from pg_stat_progress_create_index
       where datname = current_database()
         and relid = to_char(now() at time zone 'utc', '"kelpie.ledger_entries_"YYYY_MM')::regclass`,
    );
    return found[0]?.half === true;
  });
}

interface Built {
  killed: boolean;
  /** Partitions whose index was built before the kill, and stayed. */
  kept: number;
  resumed: boolean;
  /** Of both runs, and what was between them. */
  seconds: number;
  isBuilt: boolean;
}

async function buildWithKill(database: TestDatabase, migrator: Migrator): Promise<Built> {
  const startedMs = performance.now();
  const first = migrator.start();
  let isOver = false;
  void first.exited.then(() => (isOver = true));
  await eventually('half of a partition is built', async () => isOver || (await buildIsHalfDone(database)), 300_000);
  say(isOver ? 'The build was over before it could be killed.' : 'Half of a partition is built. Killing the migrator.');
  await migrator.kill(first);
  const left = await listBuiltIndexes(database);
  const inPartitions = left.filter(({ name }) => name !== builtIndex);
  const second = migrator.start();
  const { code } = await second.exited;
  const built = await listBuiltIndexes(database);
  return {
    killed: inPartitions.some(({ is_valid: isValid }) => !isValid),
    kept: inPartitions.filter(({ is_valid: isValid }) => isValid).length,
    resumed: second.output().includes('migration.invalid_index_dropped'),
    seconds: Math.round((performance.now() - startedMs) / 100) / 10,
    isBuilt: code === 0 && built.length > 1 && built.every(({ is_valid: isValid }) => isValid),
  };
}

function inLine(figures: SteadyFigures, prefix = ''): Record<string, number> {
  return {
    [`${prefix}payouts`]: figures.payouts,
    [`${prefix}errors`]: figures.errors,
    [`${prefix}longest_stall_ms`]: figures.longestStallMs,
    [`${prefix}p99_ms`]: figures.p99Ms,
    [`${prefix}slowest_ms`]: figures.slowestMs,
  };
}

async function measure(server: BenchServer): Promise<boolean> {
  const name = `kelpie_under_load_${process.pid}`;
  const urls = await prepareDatabase(server.adminUrl, { database: name, anew: true });
  server.atEnd(async () => dropDatabase(server.adminUrl, name));
  const database = { ...urls, superuserUrl: urlFor(server.adminUrl, name) };
  await plantEntries(database, rows, say);
  await settleDatabase(database.superuserUrl);
  const atEnd: BenchServer['atEnd'] = (end) => server.atEnd(end);
  const world = await startWorld({ database, atEnd });
  const partners = [world.partner];
  while (partners.length < partnerCount) partners.push(await world.addPartner());
  const clients = partners.map(({ key }) => ({ url: world.api.url, key }));
  const migrator = createMigrator({ database, atEnd });
  say(`Creating ${perSecond} payouts per second.`);
  const payouts = startSteadyPayouts(clients, perSecond);
  atEnd(async () => payouts.stop());
  await wait(2_000);
  const quietFromMs = performance.now();
  await wait(quietSeconds * 1_000);
  const quiet = payouts.figuresSince(quietFromMs);
  say('Building the index.');
  const fromMs = performance.now();
  const { isBuilt, ...built } = await buildWithKill(database, migrator);
  const during = payouts.figuresSince(fromMs);
  await payouts.stop();
  const { payouts: acknowledged, errors } = payouts.figuresSince(0);
  const { rows: found } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ payouts: number }>('select count(*)::int as payouts from kelpie.visible_payouts'),
  );
  const lost = acknowledged - (found[0]?.payouts ?? 0);
  if (payouts.firstError() !== undefined) say(`The first error: ${payouts.firstError()}`);
  console.log(
    JSON.stringify({
      rows,
      per_second: perSecond,
      ...built,
      is_built: isBuilt,
      ...inLine(during),
      lost,
      ...inLine(quiet, 'before_'),
    }),
  );
  return isBuilt && built.killed && built.resumed && errors === 0 && lost === 0;
}

if (!(Number.isSafeInteger(rows) && rows > 0 && rows % 10 === 0) || !(perSecond > 0)) {
  say('--rows is a multiple of ten, and --per-second a number above 0.');
  process.exit(2);
}
// The bank's own database is on another server, so that the two share no disk writes and no locks.
const { startedHere } = await startCluster('test');
const server = await startBenchServer('bench');
const endAll = async (): Promise<void> => {
  await server.end();
  if (startedHere) await stopCluster('test');
};
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void endAll().finally(() => process.exit(130)));
try {
  process.exitCode = (await measure(server)) ? 0 : 1;
} finally {
  await endAll();
}
