import { fitLine } from './fit.ts';
import type { Measured } from './measured.ts';

/** What the model stands on, for one payout where it does not say otherwise. Times are seconds of a core. */
export interface Figures {
  apiSeconds: number;
  workerSeconds: number;
  databaseSeconds: number;
  walBytes: number;
  commits: number;
  flushes: number;
  bankCallsOfApi: number;
  bankCallsOfWorker: number;
  webhooks: number;
  /** How long the one process that numbers events is at it. */
  numberingSeconds: number;
  /** A commit of payouts that are all of one wallet keeps it locked so long, for each payout. */
  walletSeconds: number;
  entries: number;
  /** Our process and PostgreSQL take turns, so one core's time is what it takes. */
  verifySecondsOfEntry: number;
  /** With the bank's own records, which were on the same server. */
  reconcileSeconds: number;
  /** By table, indexes included. */
  bytes: Readonly<Record<string, number | undefined>>;
}

const micro = 1e-6;

function atMost<Line>(lines: readonly Line[], valueOf: (line: Line) => number): Line {
  const [first, ...others] = lines;
  if (first === undefined) throw new Error('nothing was measured');
  return others.reduce((most, line) => (valueOf(line) > valueOf(most) ? line : most), first);
}

export function figuresOf({ lives, commits, nightly }: Measured): Figures {
  const busiest = atMost(
    lives.lines.filter((line) => line.numbering_us === undefined),
    (line) => line.connections,
  );
  const timed = lives.lines.find((line) => line.numbering_us !== undefined);
  const largest = atMost(commits.lines, ({ payouts }) => payouts);
  const night = atMost(nightly.lines, ({ payouts }) => payouts);
  return {
    apiSeconds: busiest.cpu_us_api * micro,
    workerSeconds: busiest.cpu_us_worker * micro,
    databaseSeconds: busiest.cpu_us_pg * micro,
    walBytes: busiest.wal_bytes,
    commits: busiest.commits,
    flushes: busiest.flushes,
    bankCallsOfApi: busiest.bank_calls_api,
    bankCallsOfWorker: busiest.bank_calls_worker,
    webhooks: busiest.webhooks,
    numberingSeconds: (timed?.numbering_us ?? NaN) * micro,
    walletSeconds: (largest.hot_wallet_ms / largest.payouts) * 1e-3,
    entries: night.entries_per_payout,
    verifySecondsOfEntry: night.verify_cpu_s_per_million_entries * micro,
    reconcileSeconds:
      (night.reconcile_cpu_s_per_million_payouts + night.reconcile_cpu_s_pg_with_bank_per_million_payouts) * micro,
    bytes: busiest.bytes,
  };
}

/** A commit of payouts, by the number in it: from what one connection measured alone. */
export function commitTimeOf({ commits }: Pick<Measured, 'commits'>) {
  const { constant, perUnit } = fitLine(
    commits.lines.map(({ payouts, cpu_us_pg: used }) => ({ at: payouts, value: used * micro })),
  );
  const waits = commits.lines.map(({ alone_ms: took, cpu_us_pg: used }) => took * 1e-3 - used * micro);
  const least = Math.max(0, Math.min(...waits));
  return { perBatchSeconds: constant, perPayoutSeconds: perUnit, flushSeconds: least };
}

/** What the api uses for a request, and for a commit: the fewer commits a request needs, the cheaper it is. */
export function apiTimeOf({ arrivals }: Pick<Measured, 'arrivals'>) {
  const { constant, perUnit } = fitLine(
    arrivals.lines.map(({ commits_per_payout: commits, cpu_us_api: used }) => ({ at: commits, value: used * micro })),
  );
  return { apiSeconds: constant, apiCommitSeconds: perUnit };
}
