import assert from 'node:assert/strict';
import { listAt, valueAt } from '@kelpie/dev/json.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { createDatabase, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { startSandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { testSecrets } from '../test/harness/secrets.ts';
import type { BenchServer } from './bench-server.ts';
import { connectToBank } from './connect-to-bank.ts';
import { loadPayouts } from './load-payouts.ts';
import { measureCommand } from './measure-command.ts';
import { readServerTime } from './processor-time.ts';
import { createProgress } from './progress.ts';
import { rounded } from './report.ts';

interface Size {
  payouts: number;
  partners: number;
  say: (text: string) => void;
}

export interface ReconciliationLine {
  name: 'reconcile';
  partners: number;
  payouts: number;
  differences: 0;
  seconds: number;
  /** Of the command's own processor time. */
  cpu_s: number;
  /** Of PostgreSQL, which has the sandbox bank's records too. */
  cpu_s_pg_with_bank: number;
  payouts_per_second: number;
  peak_memory_mb: number;
}

const hourMs = 60 * 60_000;

/** The bank's answer to a command in JSON stands in its last line. */
function reportIn(said: string): unknown {
  const line = said.split('\n').findLast((text) => text.startsWith('{"data"'));
  assert(line !== undefined, said);
  return valueAt(JSON.parse(line), 'data');
}

/** A clean day at a bank, compared line by line over the wire: nothing may differ. */
export async function measureReconciliation(
  server: BenchServer,
  { payouts, partners, say }: Size,
): Promise<ReconciliationLine> {
  const [name, bankName] = ['kelpie_bench_reconcile', 'kelpie_bench_reconcile_bank'];
  const urls = await prepareDatabase(server.adminUrl, { database: name, anew: true });
  await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
  server.atEnd(async () => dropDatabase(server.adminUrl, name));
  await createDatabase(server.adminUrl, bankName);
  server.atEnd(async () => dropDatabase(server.adminUrl, bankName));
  const database = { ...urls, superuserUrl: urlFor(server.adminUrl, name) };
  const bank = await startSandboxBank({
    databaseUrl: urlFor(server.adminUrl, bankName, 'kelpie_owner'),
    atEnd: (end) => server.atEnd(end),
  });
  const now = Date.now();
  const during = { from: new Date(now - 25 * hourMs), until: new Date(now - hourMs) };
  await loadPayouts(database, { payouts, partners, during, onProgress: createProgress(payouts, say) });
  await connectToBank(database, urlFor(server.adminUrl, bankName), createProgress(payouts, say));
  say('the day is there: it is compared now');
  const env = {
    KELPIE_DATABASE_URL: database.serviceUrl,
    KELPIE_OPERATOR_DATABASE_URL: database.operatorUrl,
    KELPIE_READER_DATABASE_URL: database.readerUrl,
    KELPIE_SANDBOX_BANK_URL: bank.wireUrl,
    KELPIE_SANDBOX_BANK_API_KEY: bank.apiKey,
  };
  const usedBefore = readServerTime(server.postmaster);
  const { seconds, cpuSeconds, peakMb, said } = await measureCommand(
    ['reconcile', 'run', '--json'],
    env,
    () => undefined,
  );
  const pgSeconds = (readServerTime(server.postmaster) - usedBefore) / 1_000_000;
  const report = reportIn(said);
  assert.deepEqual(
    [valueAt(report, 'state'), valueAt(report, 'transfers'), valueAt(report, 'in_flight'), listAt(report, 'found')],
    ['clean', payouts, 0, []],
  );
  return {
    name: 'reconcile',
    partners,
    payouts,
    differences: 0,
    seconds: rounded(seconds, 1),
    cpu_s: rounded(cpuSeconds, 1),
    cpu_s_pg_with_bank: rounded(pgSeconds, 1),
    payouts_per_second: Math.round(payouts / seconds),
    peak_memory_mb: peakMb,
  };
}
