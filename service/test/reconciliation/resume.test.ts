import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startSandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { connectToBank } from '../../bench/connect-to-bank.ts';
import { loadPayouts } from '../../bench/load-payouts.ts';
import { openRounds } from '../funding/topping-up.ts';
import { createTestDatabase } from '../harness/database.ts';
import { startWorker } from '../harness/processes.ts';

// A day of finished payouts at a bank. `npm run test:at-size` has the hundred thousand that are promised.

const isWhole = process.env['TESTS_AT_SIZE'] === '1';
const payouts = isWhole ? 100_000 : 6_000;
const partners = 6;
const hourMs = 60 * 60_000;
const pageSize = 100;
const longestMs = 300_000;

const database = await createTestDatabase();
const bank = await startSandboxBank();
const now = Date.now();
await loadPayouts(database, {
  payouts,
  partners,
  during: { from: new Date(now - 25 * hourMs), until: new Date(now - hourMs) },
});
await connectToBank(database, bank.databaseUrl, () => undefined);
const round = await openRounds(database);
const env = { KELPIE_SANDBOX_BANK_URL: bank.wireUrl, KELPIE_SANDBOX_BANK_API_KEY: bank.apiKey };

/** How often each page of the lists was asked for. The newest page is looked at again for the balance, and has no cursor. */
async function countPages(): Promise<Map<string, number>> {
  const data = listAt(await bank.control('GET /requests'), 'data');
  const pages = data.map((one) => [textAt(one, 'url'), Number(valueAt(one, 'times'))] as const);
  return new Map(pages.filter(([url]) => url.includes('/transfers?') && url.includes('starting_after')));
}

async function findRuns(): Promise<{ state: string; transfers: number; differences: number; environments: number }[]> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{
      state: string;
      transfers: number;
      differences: number;
      environments: number;
    }>(
      `select r.state, sum(e.transfers)::int as transfers, sum(e.differences)::int as differences, count(e.run_id)::int as environments
       from kelpie.reconciliations r left join kelpie.reconciled_environments e on e.run_id = r.id
       group by r.id, r.state order by r.id`,
    );
    return rows;
  });
}

test('a run that is killed at half goes on there: every line is compared once, and no page that was compared is asked for again', async () => {
  await bank.control('/faults', { on: 'transfer.read', kind: 'delay', delay_ms: 30 });
  const first = await startWorker({ database, env });
  await round('reconcile');
  const half = payouts / pageSize / 2;
  await eventually('half of the pages were read', async () => (await countPages()).size >= half, longestMs);
  first.kill('SIGKILL');
  await first.exited;
  const before = await countPages();
  assert((await findRuns()).every(({ state }) => state === 'running'));
  await startWorker({ database, env });
  await eventually(
    'the run is over',
    async () => (await findRuns()).every(({ state }) => state !== 'running'),
    longestMs,
  );
  assert.deepEqual(await findRuns(), [{ state: 'clean', transfers: payouts, differences: 0, environments: partners }]);
  const after = await countPages();
  const twice = [...after].filter(([, times]) => times > 1);
  // A page that was under way at the kill was not compared: one for each partner that is compared at a time.
  assert(twice.length <= 4 && twice.every(([url, times]) => times === 2 && before.has(url)), JSON.stringify(twice));
  assert(after.size >= payouts / pageSize - partners, `${after.size} pages`);
  console.log(`${payouts} lines, killed after ${before.size} of ${after.size} pages: ${twice.length} were asked again`);
});

test('what is left of a run that is over is nothing', async () => {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query('select from kelpie.reconciliation_progress'),
  );
  assert.equal(rows.length, 0);
});
