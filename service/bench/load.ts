// npm run load -- --payouts N [--partners P]: fills the development database with payouts that are over, to see how it
// works when it is large.
import { parseArgs } from 'node:util';
import { startCluster, stopCluster } from '@kelpie/dev/postgres/cluster.ts';
import { prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { loadPayouts } from './load-payouts.ts';
import { createProgress } from './progress.ts';

const { values } = parseArgs({
  options: { payouts: { type: 'string', default: '' }, partners: { type: 'string', default: '200' } },
});
const payouts = Number(values.payouts);
const partners = Number(values.partners);
if (!(payouts > 0) || !(partners > 0) || !Number.isSafeInteger(payouts) || !Number.isSafeInteger(partners)) {
  console.error('Say how many: npm run load -- --payouts NUMBER [--partners NUMBER]');
  process.exit(2);
}

const database = 'kelpie';
const { adminUrl, startedHere } = await startCluster('dev');
try {
  const { serviceUrl } = await prepareDatabase(adminUrl, { database });
  const superuserUrl = urlFor(adminUrl, database);
  const onProgress = createProgress(payouts, (text) => console.error(text));
  await loadPayouts({ superuserUrl, serviceUrl }, { payouts, partners, onProgress });
  await asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ size: string }>('select pg_size_pretty(pg_database_size($1)) as size', [
      database,
    ]);
    console.log(`Wrote ${payouts} payouts of ${partners} partners. The database has ${rows[0]?.size} now.`);
  });
} finally {
  if (startedHere) await stopCluster('dev');
}
