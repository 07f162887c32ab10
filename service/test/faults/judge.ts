import { setTimeout as wait } from 'node:timers/promises';
import { kelpieAdmin } from '../app/commands/kelpie-admin.ts';
import { longestPauseMs } from '../funding/topping-up.ts';
import { passTime } from '../harness/clock.ts';
import type { TestClock } from '../harness/clock.ts';
import type { TestDatabase } from '../harness/database.ts';
import type { World } from '../harness/world.ts';
import { becomeQuiet, countUnfinished, judge } from '../simulate/payouts-end.ts';
import type { BankTest } from './bank-test.ts';

interface Judging {
  world: World;
  clock: TestClock;
  /** Runs a recurring job now; null where there are no deposits. */
  round: ((queue?: string) => Promise<void>) | null;
  say: (text: string) => void;
  /** For a test that expects a violation: one look, without waiting for what is still on its way. */
  isBrief?: boolean;
}

export interface Judgement {
  /** What must never be, in sentences. */
  violations: string[];
  /** How long it took until no payout was open, without moving the clock. Null if some were still open then. */
  settledMs: number | null;
}

const settledWithinMs = 30_000;

async function untilSettled(world: World): Promise<number | null> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < settledWithinMs) {
    if ((await countUnfinished(world)) === 0) return performance.now() - startedAt;
    await wait(500);
  }
  return null;
}

/** The books as the operator's command sees them. */
async function verifyLedger(database: TestDatabase): Promise<string[]> {
  const { code, said } = await kelpieAdmin(database, ['ledger', 'verify', '--json']);
  return code === 0 ? [] : [`I3 kelpie-admin ledger verify ends with ${code}: ${said.slice(0, 500)}`];
}

/**
 * Judges by the bank's own record and the invariants: every acknowledged payout is there and was paid exactly once, none is
 * stuck, no wallet is below zero, and our books equal the bank's to the micro-unit. Ask once the test has finished. What
 * callers were told in earlier tests on the same database must still hold too.
 */
export async function judgeBankTest(
  { world, clock, round, say, isBrief = false }: Judging,
  test: BankTest,
  earlier: readonly BankTest[] = [],
): Promise<Judgement> {
  const settledMs = isBrief ? null : await untilSettled(world);
  if (!isBrief) await becomeQuiet({ world, clock }, say);
  if (round !== null) {
    await passTime({ clock, bank: world.bank }, longestPauseMs);
    await round();
    // After hours of outages the bank has a backlog of webhooks. What came back is found without them, as every night.
    await round('late-returns');
  }
  const reported = new Map(test.reported);
  for (const one of earlier) for (const [key, ids] of one.reported) reported.set(key, ids);
  const violations = [
    ...test.violations,
    ...(await judge({ world, clients: { reported } }, ...(isBrief ? [1] : []))),
    ...(await verifyLedger(world.database)),
  ];
  return { violations, settledMs };
}
