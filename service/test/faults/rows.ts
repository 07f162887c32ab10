import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@kelpie/dev/eventually.ts';
import { cancelWaits } from '../recovery/standby-pair.ts';
import { randomFrom } from '../simulate/random.ts';
import type { BankTest } from './bank-test.ts';
import { countFalseSuccesses } from './measure.ts';
import { countWritesOn } from './stray-writes.ts';
import type { FaultStage } from './stage.ts';

/** What one run of a fault may use, and what it found. */
export interface Run {
  stage: FaultStage;
  bankTest: BankTest;
  seed: number;
  /** Shorter, for CI. */
  isQuick: boolean;
  say: (text: string) => void;
  violations: string[];
}

/** What a row promises. What is missed is reported; only what is wrong is a violation. */
interface Goals {
  worstGapMs?: number;
  slowestMs?: number;
  /** Of the payouts that were open meanwhile. */
  resentPercent?: number;
}

export interface FaultRow {
  /** In docs/faults.md. */
  number: number;
  name: string;
  runs: number;
  /** In `--quick`, once. */
  isQuick?: true;
  goals: Goals;
  /** Does the fault, and undoes it. Callers are measured from its beginning until it returns and payouts pass again. */
  run(run: Run): Promise<void>;
}

const electedWithinMs = 90_000;
const wholeWithinMs = 180_000;
const servedWithinMs = 120_000;

/** Until new payouts are acknowledged again. */
export async function untilServing({ bankTest }: Pick<Run, 'bankTest'>, more = 30): Promise<void> {
  const upto = bankTest.acknowledged() + more;
  await eventually('payouts are acknowledged', async () => bankTest.acknowledged() >= upto, servedWithinMs);
}

async function untilLeaderIsNot({ stage: { cluster } }: Run, old: number, withinMs = electedWithinMs): Promise<number> {
  return eventually(
    'another node leads',
    async () => {
      const now = await cluster.leader().catch(() => old);
      return now !== old && now;
    },
    withinMs,
  );
}

async function standbysOf({ stage: { cluster } }: Run): Promise<{ leader: number; sync: number; standbys: number[] }> {
  const leader = await cluster.leader();
  const sync = await cluster.syncStandby();
  if (sync === null) throw new Error('the cluster has no synchronous standby');
  return { leader, sync, standbys: [1, 2, 3].filter((node) => node !== leader) };
}

async function untilWhole({ stage: { cluster } }: Run): Promise<void> {
  await cluster.untilWhole(wholeWithinMs);
}

async function killLeader(run: Run): Promise<void> {
  const { cluster } = run.stage;
  const leader = await cluster.leader();
  await cluster.killNode(leader);
  await untilLeaderIsNot(run, leader);
  await untilServing(run);
  await cluster.startNode(leader);
  await untilWhole(run);
}

async function killPostgres(run: Run): Promise<void> {
  const { cluster } = run.stage;
  await cluster.killPostmaster(await cluster.leader());
  await untilServing(run);
  await untilWhole(run);
}

async function switchOver(run: Run): Promise<void> {
  await run.stage.cluster.switchover();
  await untilServing(run);
  await untilWhole(run);
}

async function stallStandby(run: Run): Promise<void> {
  const { cluster } = run.stage;
  const { sync } = await standbysOf(run);
  await cluster.freezePostgres(sync);
  await wait(run.isQuick ? 20_000 : 60_000);
  await cluster.thawPostgres(sync);
  await untilServing(run);
  await untilWhole(run);
}

async function stallBothStandbys(run: Run): Promise<void> {
  const { cluster } = run.stage;
  const { standbys } = await standbysOf(run);
  for (const node of standbys) await cluster.freezePostgres(node);
  const fromMs = performance.now();
  await wait(run.isQuick ? 15_000 : 30_000);
  const wrong = countFalseSuccesses(run.bankTest.attempts, { fromMs, toMs: performance.now() });
  if (wrong > 0) run.violations.push(`I2 ${wrong} payouts were acknowledged while no standby could confirm them`);
  for (const node of standbys) await cluster.thawPostgres(node);
  await untilServing(run);
  await untilWhole(run);
}

async function loseEtcd(run: Run, members: number[], forMs: number): Promise<void> {
  const { cluster } = run.stage;
  await cluster.killEtcd(members);
  await wait(forMs);
  await cluster.startEtcd(members);
  await untilServing(run);
  await untilWhole(run);
}

async function partitionLeader(run: Run): Promise<void> {
  const { cluster } = run.stage;
  const leader = await cluster.leader();
  await cluster.partition(leader);
  await untilLeaderIsNot(run, leader);
  await untilServing(run);
  await cluster.heal(leader);
  await untilWhole(run);
}

/** Its sockets stay open, and it does not know that another leads when it comes back. */
async function thawOldPrimary(run: Run): Promise<void> {
  const { cluster } = run.stage;
  const leader = await cluster.leader();
  await cluster.freezeNode(leader);
  await untilLeaderIsNot(run, leader);
  await untilServing(run);
  await cluster.thawNode(leader);
  const written = await countWritesOn(run.stage.databaseOn(leader), 10_000);
  if (written > 0) run.violations.push(`I3 the old primary confirmed ${written} writes after another was promoted`);
  await untilServing(run);
  await untilWhole(run);
}

async function fillDisk(run: Run): Promise<void> {
  const { cluster } = run.stage;
  const leader = await cluster.leader();
  await cluster.fillDisk(leader);
  await untilServing(run, 300);
  await cluster.freeDisk(leader);
  await cluster.startNode(leader);
  await untilServing(run);
  await untilWhole(run);
}

async function killHaproxy(run: Run): Promise<void> {
  const { cluster } = run.stage;
  await cluster.killHaproxy();
  await wait(10_000);
  await cluster.startHaproxy();
  await untilServing(run);
}

async function loseAllNodes(run: Run): Promise<void> {
  const { cluster } = run.stage;
  for (const node of [1, 2, 3]) await cluster.killNode(node);
  await wait(run.isQuick ? 20_000 : 60_000);
  for (const node of [1, 2, 3]) await cluster.startNode(node);
  await untilServing(run);
  await untilWhole(run);
  // What the outage left waiting is worked off before the resends are counted.
  await wait(10_000);
}

/** What only the old leader has must not have been acknowledged: it dies with it. */
async function cancelWaitsThenKill(run: Run): Promise<void> {
  const { cluster } = run.stage;
  const { leader, sync, standbys } = await standbysOf(run);
  for (const node of standbys) await cluster.freezePostgres(node);
  const fromMs = performance.now();
  run.say(`cancelled ${await cancelWaits(run.stage.databaseOn(leader), 8_000)} waits`);
  const wrong = countFalseSuccesses(run.bankTest.attempts, { fromMs, toMs: performance.now() });
  if (wrong > 0) run.violations.push(`I2 ${wrong} payouts were acknowledged after a WARNING`);
  await cluster.killNode(leader);
  for (const node of standbys) await cluster.thawPostgres(node);
  await untilLeaderIsNot(run, leader, 30_000).catch(async () => {
    run.say(`no leader was elected within 30 s: node ${sync} is promoted by hand`);
    await cluster.failover(sync);
    await untilLeaderIsNot(run, leader);
  });
  await untilServing(run);
  await cluster.startNode(leader);
  await untilWhole(run);
}

/** Api processes and workers, one every 1 to 5 seconds. */
async function killProcesses({ stage, bankTest, seed, isQuick }: Run): Promise<void> {
  const random = randomFrom(seed);
  const victims = ['api 1', 'api 2', 'worker 1', 'worker 2'] as const;
  const until = performance.now() + (isQuick ? 20_000 : 60_000);
  while (performance.now() < until) {
    await wait(1_000 + random.below(4_000));
    const victim = victims[random.below(victims.length)];
    if (victim !== undefined) stage.processes.kill(victim, bankTest.tally);
  }
  await stage.processes.finish();
  await untilServing({ bankTest });
}

/** The order is that of a full run: what leaves the cluster as it found it comes first. */
export const faultRows: readonly FaultRow[] = [
  { number: 8, name: 'leader-killed', runs: 20, isQuick: true, goals: { worstGapMs: 15_000 }, run: killLeader },
  { number: 77, name: 'switchover', runs: 10, isQuick: true, goals: { worstGapMs: 5_000 }, run: switchOver },
  { number: 9, name: 'standby-stalled', runs: 1, isQuick: true, goals: { slowestMs: 10_000 }, run: stallStandby },
  { number: 78, name: 'both-standbys-stalled', runs: 1, goals: { slowestMs: 10_000 }, run: stallBothStandbys },
  {
    number: 79,
    name: 'etcd-gone',
    runs: 1,
    goals: { worstGapMs: 2_000 },
    run: async (run) => loseEtcd(run, [1, 2, 3], 60_000),
  },
  {
    number: 80,
    name: 'etcd-member-lost',
    runs: 3,
    goals: { worstGapMs: 2_000 },
    run: async (run) => loseEtcd(run, [1 + (run.seed % 3)], 20_000),
  },
  { number: 81, name: 'leader-partitioned', runs: 5, goals: { worstGapMs: 30_000 }, run: partitionLeader },
  { number: 11, name: 'old-primary-thawed', runs: 3, goals: { worstGapMs: 15_000 }, run: thawOldPrimary },
  { number: 13, name: 'disk-full', runs: 1, goals: { worstGapMs: 15_000 }, run: fillDisk },
  { number: 82, name: 'haproxy-killed', runs: 3, isQuick: true, goals: { worstGapMs: 15_000 }, run: killHaproxy },
  { number: 7, name: 'postgres-killed', runs: 3, goals: { worstGapMs: 30_000 }, run: killPostgres },
  { number: 4, name: 'processes-killed', runs: 1, isQuick: true, goals: {}, run: killProcesses },
  { number: 10, name: 'waits-cancelled', runs: 1, goals: {}, run: cancelWaitsThenKill },
  { number: 83, name: 'all-nodes-down', runs: 1, goals: { resentPercent: 1 }, run: loseAllNodes },
];
