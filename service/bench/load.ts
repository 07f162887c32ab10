// npm run load -- --payouts N [--partners P] [--days D] [--verify]: fills the development database with payouts that are
// over, to see how it works when it is large. With --verify it then measures the verification of the ledger.
import { parseArgs } from 'node:util';
import { startCluster, stopCluster } from '@kelpie/dev/postgres/cluster.ts';
import { prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { loadPayouts } from './load-payouts.ts';
import { measureVerification } from './measure-verification.ts';
import { createProgress } from './progress.ts';

const { values } = parseArgs({
  options: {
    payouts: { type: 'string', default: '' },
    partners: { type: 'string', default: '200' },
    days: { type: 'string', default: '180' },
    verify: { type: 'boolean', default: false },
  },
});
const payouts = Number(values.payouts);
const partners = Number(values.partners);
const days = Number(values.days);
if (![payouts, partners, days].every((count) => count > 0 && Number.isSafeInteger(count))) {
  console.error('Say how many: npm run load -- --payouts NUMBER [--partners NUMBER] [--days NUMBER] [--verify]');
  process.exit(2);
}

const dayMs = 24 * 60 * 60_000;

function lastDays(): { from: Date; until: Date } {
  const until = new Date(Date.now() - 60_000);
  return { from: new Date(until.getTime() - days * dayMs), until };
}

const database = 'kelpie';
const { adminUrl, startedHere } = await startCluster('dev');
try {
  const { serviceUrl, readerUrl } = await prepareDatabase(adminUrl, { database });
  const superuserUrl = urlFor(adminUrl, database);
  const onProgress = createProgress(payouts, (text) => console.error(text));
  await loadPayouts({ superuserUrl, serviceUrl }, { payouts, partners, during: lastDays(), onProgress });
  await asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ size: string }>('select pg_size_pretty(pg_database_size($1)) as size', [
      database,
    ]);
    console.log(`Wrote ${payouts} payouts of ${partners} partners. The database has ${rows[0]?.size} now.`);
  });
  if (values.verify) {
    let what = 'Everything';
    for await (const { entries, seconds, differences } of measureVerification({ readerUrl, serviceUrl })) {
      console.log(`${what}: ${entries} entries in ${seconds.toFixed(1)} s, ${differences} differences.`);
      what = 'A night';
    }
  }
} finally {
  if (startedHere) await stopCluster('dev');
}
