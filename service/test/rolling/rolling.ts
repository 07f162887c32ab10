// npm run rolling -- --before COMMIT [--after COMMIT]: a rolling deploy of two real commits, under traffic. The api of the
// first serves while the second migrates the database and starts beside it. Without --after, the second is this checkout.
// Closes with a JSON line; exits with 1 where a request failed.
import { parseArgs } from 'node:util';
import { checkOutCommit } from '@kelpie/dev/checkout-commit.ts';
import { asAdmin, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import { startBenchServer, type BenchServer } from '../../bench/bench-server.ts';
import { loadCheckoutModules, type CheckoutModules } from '../../bench/checkout-modules.ts';
import { startTraffic } from '../harness/traffic.ts';

const { values: options } = parseArgs({ options: { before: { type: 'string' }, after: { type: 'string' } } });
/** In each phase. */
const payouts = 500;
const say = (text: string): void => console.error(text);

async function modulesOf(server: BenchServer, revision: string | undefined): Promise<CheckoutModules> {
  if (revision === undefined) return loadCheckoutModules(projectFolder);
  say(`Checking out ${revision} and installing its dependencies.`);
  const checkout = await checkOutCommit(revision);
  server.atEnd(async () => checkout.remove());
  return loadCheckoutModules(checkout.folder);
}

async function roll(server: BenchServer, revisions: { before: string; after: string | undefined }) {
  const [before, after] = [await modulesOf(server, revisions.before), await modulesOf(server, revisions.after)];
  const database = `kelpie_rolling_${process.pid}`;
  const superuserUrl = urlFor(server.adminUrl, database);
  const urls = await before.prepareDatabase(server.adminUrl, { database, anew: true });
  server.atEnd(async () => dropDatabase(server.adminUrl, database));
  const [key = ''] = await before.createPartners({ ...urls, superuserUrl }, 1);
  const serve = async (modules: CheckoutModules) => {
    const api = await modules.startApi(urls.serviceUrl);
    server.atEnd(async () => api.stop());
    return { url: `http://127.0.0.1:${api.port}`, key };
  };
  const traffic = startTraffic(await serve(before));
  await traffic.more(payouts);
  say('Migrating to the later commit, while the api of the earlier one serves.');
  await after.prepareDatabase(server.adminUrl, { database, anew: false });
  await traffic.more(payouts);
  say('Starting the api of the later commit, and one more of the earlier.');
  traffic.add(await serve(after));
  traffic.add(await serve(before));
  await traffic.more(payouts);
  await traffic.stop();
  const { rows } = await asAdmin(superuserUrl, async (client) =>
    client.query<{ made: string }>('select count(*) as made from kelpie.payouts'),
  );
  const errors = traffic.errors();
  for (const error of errors.slice(0, 5)) say(error);
  return { ...revisions, created: traffic.created(), in_database: Number(rows[0]?.made), errors: errors.length };
}

if (options.before === undefined) {
  say('Usage: npm run rolling -- --before COMMIT [--after COMMIT]');
  process.exit(2);
}
const server = await startBenchServer('bench');
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void server.end().finally(() => process.exit(130)));
try {
  const result = await roll(server, { before: options.before, after: options.after });
  console.log(JSON.stringify(result));
  process.exitCode = result.errors === 0 && result.created === result.in_database ? 0 : 1;
} finally {
  await server.end();
}
