import { prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import type { BenchServer } from '../bench-server.ts';
import { loadPayouts } from '../load-payouts.ts';
import { measureReconciliation } from '../measure-reconciliation.ts';
import { measureVerification } from '../measure-verification.ts';
import { readProcessorTime } from '../processor-time.ts';
import { createProgress } from '../progress.ts';
import { rounded } from '../report.ts';

interface NightlyOptions {
  payouts: number;
  say: (text: string) => void;
}

/** What is done with each payout once, after its day: by one process. */
export interface NightlyLine {
  name: 'nightly';
  payouts: number;
  entries_per_payout: number;
  verified_entries_per_s: number;
  verify_cpu_s_per_million_entries: number;
  reconciled_payouts_per_s: number;
  /** Of our own process, and of PostgreSQL with the sandbox bank's records. */
  reconcile_cpu_s_per_million_payouts: number;
  reconcile_cpu_s_pg_with_bank_per_million_payouts: number;
}

const partners = 20;
const dayMs = 24 * 60 * 60_000;
const days = 5;

export async function measureNightly(server: BenchServer, { payouts, say }: NightlyOptions): Promise<NightlyLine> {
  const name = `kelpie_bench_nightly_${process.pid}`;
  const urls = await prepareDatabase(server.adminUrl, { database: name, anew: true });
  server.atEnd(async () => dropDatabase(server.adminUrl, name));
  const database = { ...urls, superuserUrl: urlFor(server.adminUrl, name) };
  const until = new Date(Date.now() - dayMs);
  const during = { from: new Date(until.getTime() - days * dayMs), until };
  await loadPayouts(database, { payouts, partners, during, onProgress: createProgress(payouts, say) });
  const before = readProcessorTime(server.postmaster, process.pid);
  const nights = measureVerification(database);
  const { value: everything } = await nights.next();
  await nights.return(undefined);
  const after = readProcessorTime(server.postmaster, process.pid);
  if (everything === undefined || everything.differences > 0) throw new Error('the books differ');
  const { entries, seconds } = everything;
  const cpuMicroseconds =
    after.pgMicroseconds + after.nodeMicroseconds - before.pgMicroseconds - before.nodeMicroseconds;
  const reconciled = await measureReconciliation(server, { payouts, partners, say });
  const perMillion = (used: number): number => rounded((used * 1_000_000) / payouts, 1);
  return {
    name: 'nightly',
    payouts,
    entries_per_payout: rounded(entries / payouts, 1),
    verified_entries_per_s: Math.round(entries / seconds),
    verify_cpu_s_per_million_entries: rounded(cpuMicroseconds / entries, 1),
    reconciled_payouts_per_s: reconciled.payouts_per_second,
    reconcile_cpu_s_per_million_payouts: perMillion(reconciled.cpu_s),
    reconcile_cpu_s_pg_with_bank_per_million_payouts: perMillion(reconciled.cpu_s_pg_with_bank),
  };
}
