import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { World } from '../harness/world.ts';
import { startBankTest, type BankTest } from './bank-test.ts';
import { judgeBankTest } from './judge.ts';
import { measure, type Measured } from './measure.ts';
import { negativeBalances, startProbes, type Reading } from './probes.ts';
import { untilServing, type FaultRow, type Run } from './rows.ts';
import type { FaultStage } from './stage.ts';
import type { Peaks } from './watch-processes.ts';

export interface RowResult {
  number: number;
  name: string;
  /** What must never be. */
  violations: string[];
  /** What callers saw, for each run. */
  measured: Measured[];
  /** Goals that were missed. */
  missed: string[];
  peaks: Peaks;
  /** Payouts that were sent to the bank again, and those that were open at any time of it. */
  resent: number;
  open: number;
  settledMs: number | null;
  /** Probes of an api process that were not answered with 200, by what was asked, and the slowest answer. */
  probes: Record<Reading['what'], { failed: number; slowestMs: number }>;
}

export interface RowOptions {
  seed: number;
  runs: number;
  payoutsASecond: number;
  isQuick: boolean;
  /** Tests on the same stage before, whose payouts must still be there. */
  earlier: BankTest[];
  /** Violations that an earlier row was charged with. */
  known: Set<string>;
  say: (text: string) => void;
}

const mostSeconds = 3_600;
/** Processes that have just started are slow for reasons of their own. */
const warmUpSeconds = 20;
/** An outage must not fill the logs. */
const mostLinesASecond = 10;

interface Counts {
  payouts: number;
  open: number;
  resent: number;
}

/** A connection that a fault broke is replaced at the next try. */
async function count(world: World): Promise<Counts> {
  return eventually('the database answers', async () => countOnce(world).catch(() => undefined));
}

async function countOnce({ database }: World): Promise<Counts> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<Counts>(
      `select (select count(*)::int from kelpie.payouts) as payouts,
         (select count(*)::int from kelpie.payouts where state in ('sending', 'pending', 'processing')) as open,
         (select count(*)::int from kelpie.payout_history where what = 'tried_again') as resent`,
    );
    return rows[0] ?? { payouts: 0, open: 0, resent: 0 };
  });
}

function missedGoals({ goals }: FaultRow, result: Omit<RowResult, 'missed'>): string[] {
  const { measured, peaks, resent, open } = result;
  const missed: string[] = [];
  const judge = (what: string, worst: number, most: number | undefined): void => {
    if (most !== undefined && worst > most) missed.push(`${what} ${Math.ceil(worst * 10) / 10}, goal ${most}`);
  };
  const worst = (key: 'worstGapMs' | 'slowestMs'): number => Math.max(0, ...measured.map((one) => one[key]));
  judge('gap in ms', worst('worstGapMs'), goals.worstGapMs);
  judge('slowest answer in ms', worst('slowestMs'), goals.slowestMs);
  judge('resent in %', open === 0 ? 0 : (100 * resent) / open, goals.resentPercent);
  judge('log lines per second', peaks.linesASecond, mostLinesASecond);
  return missed;
}

/** What could not be done is as bad as what went wrong: nothing was shown. */
async function orViolation(what: string, violations: string[], work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const why = error instanceof Error ? [error.message, error.cause].filter(Boolean).map(String) : [String(error)];
    violations.push([what, ...why].join(': '));
  }
}

async function doRuns(row: FaultRow, run: Run, runs: number): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (let nth = 1; nth <= runs; nth += 1) {
    await untilServing(run);
    // A leader that is lost before etcd knows the synchronous standby is not replaced.
    await run.stage.cluster.untilWhole();
    const fromMs = performance.now();
    await row.run({ ...run, seed: run.seed + nth });
    await untilServing(run);
    const one = measure(run.bankTest.attempts, { fromMs, toMs: performance.now() });
    measured.push(one);
    const gap = `gap ${(one.worstGapMs / 1_000).toFixed(1)} s`;
    const slowest = `slowest ${(one.slowestMs / 1_000).toFixed(1)} s (${one.slowestStatus})`;
    run.say(`${row.name} ${nth}/${runs}: ${gap}, ${slowest}, ${JSON.stringify(one.statuses)}`);
  }
  return measured;
}

function summarise(readings: readonly Reading[]): RowResult['probes'] {
  const of = (what: Reading['what']) => {
    const own = readings.filter((reading) => reading.what === what);
    return {
      failed: own.filter(({ status }) => status !== 200).length,
      slowestMs: Math.max(0, ...own.map(({ tookMs }) => tookMs)),
    };
  };
  return { readyz: of('readyz'), healthz: of('healthz'), read: of('read') };
}

export async function runRow(stage: FaultStage, row: FaultRow, options: RowOptions): Promise<RowResult> {
  const { seed, runs, payoutsASecond, isQuick, earlier, known, say } = options;
  const { world, clock, round, urls, clients, places, watch } = stage;
  await stage.refill();
  const before = await count(world);
  const bankTest = startBankTest({
    world,
    urls,
    clients,
    places,
    toBlock: stage.partners.slice(1, 3),
    seed,
    payoutsASecond,
    keyPrefix: `${row.name}-${seed}-${earlier.length}`,
    longestSeconds: mostSeconds,
  });
  const probes = startProbes(urls, clients[1]?.key ?? '');
  watch.takePeaks();
  const violations: string[] = [];
  let measured: Measured[] = [];
  await orViolation('the fault could not be tested', violations, async () => {
    if (earlier.length === 0) await untilServing({ bankTest }, payoutsASecond * warmUpSeconds);
    measured = await doRuns(row, { stage, bankTest, seed, isQuick, say, violations }, runs);
  });
  const peaks = watch.takePeaks();
  await orViolation('callers got no answer', violations, async () => bankTest.finish());
  await probes.stop();
  let settledMs: number | null = null;
  await orViolation('it could not be judged', violations, async () => {
    const judged = await judgeBankTest({ world, clock, round, say }, bankTest, earlier);
    const arrived = await stage.webhooks.judge();
    violations.push(...[...judged.violations, ...arrived].filter((one) => !known.has(one)));
    settledMs = judged.settledMs;
  });
  violations.push(...negativeBalances(probes.readings));
  for (const violation of violations) known.add(violation);
  earlier.push(bankTest);
  const after = await count(world);
  say(`${row.name}: ${JSON.stringify(bankTest.tally.counts())}`);
  const { number, name } = row;
  const open = before.open + after.payouts - before.payouts;
  const resent = after.resent - before.resent;
  const result = {
    number,
    name,
    violations,
    measured,
    peaks,
    resent,
    open,
    settledMs,
    probes: summarise(probes.readings),
  };
  return { ...result, missed: missedGoals(row, result) };
}
