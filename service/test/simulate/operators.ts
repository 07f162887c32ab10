import { findViolations } from '../harness/invariants.ts';
import { clearDesk, recover, resumePayments } from './operators-acts.ts';
import { startCast, type Cast } from './operators-cast.ts';
import { judgeOrders, readWallets } from './operators-model.ts';
import { play, repeat, type PlayedOrder } from './operators-orders.ts';
import { planOperators, type OperatorsPlan } from './operators-plan.ts';
import type { Simulation } from './simulation.ts';

const judgeEverySeeds = 20;
const partnersForSeeds = 8;
const sayEverySeeds = 10;

async function playAll(cast: Cast, plan: OperatorsPlan): Promise<PlayedOrder[]> {
  const { orders, lostFrom } = plan;
  const played: PlayedOrder[] = [];
  for (const [at, order] of orders.entries()) {
    if (at === lostFrom) await cast.backUp();
    played.push(await play(cast, order));
    cast.tally.add(`order ${order.fate}`);
    await resumePayments(cast, plan);
  }
  return played;
}

/** The database forgets what was ordered last. Whoever was answered repeats the key, and nothing is paid again. */
async function loseAndRecover(cast: Cast, plan: OperatorsPlan, played: readonly PlayedOrder[]): Promise<void> {
  if (plan.lostFrom === null) return;
  cast.tally.add('restores');
  await cast.restore();
  await recover(cast, plan, async () => {
    for (const order of played.slice(plan.lostFrom ?? 0)) await repeat(cast, order);
  });
}

async function runSeed(cast: Cast, seed: number): Promise<string[]> {
  const plan = planOperators(seed);
  const before = await readWallets(cast);
  const played = await playAll(cast, plan);
  await loseAndRecover(cast, plan, played);
  await clearDesk(cast, plan, played);
  await cast.untilOver(played.map(({ key }) => key));
  const violations = await judgeOrders(cast, played, before);
  return violations.map((violation) => `seed ${seed}: ${violation}`);
}

/** Contradictory banks, wrong returns, restores, and two operators who bring every order to its end. */
export const simulateOperators: Simulation = async ({ database, seed, seeds, say }) => {
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const cast = await startCast(database, (end) => void ends.push(end));
    const violations: string[] = [];
    for (let n = 0; n < seeds && violations.length === 0; n += 1) {
      if (n % partnersForSeeds === 0) await cast.changePartners();
      violations.push(
        ...(await runSeed(cast, seed + n).catch((error: unknown) => {
          throw new Error(`seed ${seed + n}: ${JSON.stringify(planOperators(seed + n))}`, { cause: error });
        })),
      );
      if (n % sayEverySeeds === sayEverySeeds - 1) say(`${n + 1} seeds ${JSON.stringify(cast.tally.counts())}`);
      if (n % judgeEverySeeds !== judgeEverySeeds - 1 && n !== seeds - 1) continue;
      violations.push(...(await findViolations(cast.world)));
      say(`judged after ${n + 1} seeds: ${violations.length} violations`);
    }
    return { violations, figures: cast.tally.counts() };
  } finally {
    for (const end of ends.toReversed()) await end();
  }
};
