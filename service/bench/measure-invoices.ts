import assert from 'node:assert/strict';
import { beginAudit, prepareDatabase, type DatabaseUrls } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { firstIdAt } from '../src/platform/ids.ts';
import { monthBefore, monthEnd, monthOf, monthStart, type Month } from '../src/platform/london-month.ts';
import { testSecrets } from '../test/harness/secrets.ts';
import type { BenchServer } from './bench-server.ts';
import { chargedEach, loadBilledMonth } from './load-billed-month.ts';
import { measureCommand } from './measure-command.ts';
import { createProgress } from './progress.ts';

interface Size {
  partners: number;
  payoutsEach: number;
  say: (text: string) => void;
}

/** `kelpie-admin invoices run` as an operator runs it. */
async function runAsOperator({ serviceUrl, operatorUrl }: DatabaseUrls, period: Month, say: (text: string) => void) {
  const args = ['invoices', 'run', '--period', period];
  const env = { KELPIE_DATABASE_URL: serviceUrl, KELPIE_OPERATOR_DATABASE_URL: operatorUrl };
  const { seconds, peakMb } = await measureCommand(args, env, say);
  return { seconds, peakMb };
}

/** How the server gathers one partner's month. */
async function explainGather(superuserUrl: string, period: Month): Promise<string[]> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows: partners } = await client.query<{ id: string }>('select id from kelpie.partners limit 1');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, buffers, costs off) select reason, amount < 0, count(*), sum(amount) from kelpie.ledger_entries e
       where partner_id = '${partners[0]?.id}' and transfer_id >= '${firstIdAt(monthStart(period))}'
         and transfer_id < '${firstIdAt(monthEnd(period))}' and account in ('receivable', 'credit_due', 'accrued')
         and environment = 'live' and reason <> 'invoice.issued' group by 1, 2`,
    );
    return rows.map((row) => row['QUERY PLAN']);
  });
}

/** A month of many partners, loaded and then invoiced. Every total is held against what was loaded. */
export async function measureInvoices(server: BenchServer, { partners, payoutsEach, say }: Size): Promise<object> {
  const name = 'kelpie_bench_invoices';
  const urls = await prepareDatabase(server.adminUrl, { database: name, anew: true });
  await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
  server.atEnd(async () => dropDatabase(server.adminUrl, name));
  const superuserUrl = urlFor(server.adminUrl, name);
  const period = monthBefore(monthOf(new Date()));
  const loadedAt = performance.now();
  const onProgress = createProgress(partners * payoutsEach, say);
  await loadBilledMonth({ superuserUrl }, { month: period, partners, payoutsEach, onProgress });
  say(`loaded in ${Math.round((performance.now() - loadedAt) / 1_000)} s`);
  for (const line of await explainGather(superuserUrl, period)) say(line);
  const { seconds, peakMb } = await runAsOperator(urls, period, say);
  const { fees, network } = chargedEach(payoutsEach);
  const expected = fees + (network + 5_000n) / 10_000n + 1_500n;
  const { rows } = await asAdmin(superuserUrl, async (client) =>
    client.query<{ invoices: string; right: string; size: string }>(
      `select count(*) as invoices, count(*) filter (where total_pence = $1) as right,
         pg_size_pretty(pg_database_size(current_database())) as size from kelpie.invoices`,
      [expected],
    ),
  );
  assert.deepEqual(
    [Number(rows[0]?.invoices), Number(rows[0]?.right)],
    [partners, partners],
    'a total that is not right',
  );
  return {
    name: 'invoices',
    partners,
    payouts: partners * payoutsEach,
    seconds: Number(seconds.toFixed(1)),
    invoices_per_second: Number((partners / seconds).toFixed(1)),
    peak_memory_mb: peakMb,
    database: rows[0]?.size,
  };
}
