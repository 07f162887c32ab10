import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { sendPounds, sendUsdc } from '@kelpie/sandbox-bank/test/topping-up.ts';
import {
  longestPauseMs,
  openRounds,
  startFundingWorld,
  untilFunded,
  type FundingWorld,
  type Places,
} from '../funding/topping-up.ts';
import { passTime } from '../harness/clock.ts';
import { findViolations } from '../harness/invariants.ts';
import type { TestPartner } from '../harness/partners.ts';
import { partnersInAll, planFunding, type FundingPlan, type PlannedDeposit, type WebhookMode } from './funding-plan.ts';
import { spend } from './funding-spending.ts';
import type { Simulation } from './simulation.ts';
import { createTally, type Tally } from './tally.ts';
import { countFloat, untilCovered } from './until-covered.ts';

const settleAfterMs = 120;
/** More than all debts of a run. */
const floatMicroUsdc = 1_000_000_000_000;
const oneSeedWithinMs = 90_000;
const judgeEverySeeds = 20;
const sayEverySeeds = 5;

interface Cast {
  world: FundingWorld;
  partners: TestPartner[];
  places: Places[];
  round: (queue?: string) => Promise<void>;
  tally: Tally;
}

async function startCast(
  { database }: Pick<Parameters<Simulation>[0], 'database'>,
  atEnd: (end: () => Promise<unknown>) => void,
): Promise<Cast> {
  const world = await startFundingWorld({ database, settleAfterMs, withFloat: true, atEnd });
  await world.bank.control(`/wallets/${world.float?.walletId ?? ''}/adjust`, { micro_usdc: floatMicroUsdc });
  const round = await openRounds(database, atEnd);
  const partners = [world.partner];
  while (partners.length < partnersInAll) partners.push(await world.addPartner());
  await round('open-funding');
  const places: Places[] = [];
  for (const partner of partners) places.push(await untilFunded(database, partner));
  return { world, partners, places, round, tally: createTally() };
}

/** A deposit that came, as the bank itself has it. */
interface Sent {
  id: string;
  partner: number;
  cents: number;
  endsAs: 'credited' | 'refunded' | 'reversed';
}

/** The bank may have moved it on by itself meanwhile: then it stays what it is. */
async function tryTo(cast: Cast, id: string, act: string): Promise<boolean> {
  return cast.world.bank.control(`/deposits/${id}/${act}`).then(
    () => true,
    () => false,
  );
}

/** The bank settles it by itself; the bank's whole record would be too much to ask for again and again. */
async function untilProcessed({ world }: Cast, id: string): Promise<void> {
  const look = async (): Promise<boolean> =>
    textAt(await world.bank.control(`GET /deposits/${id}`), 'state') === 'payment_processed';
  await eventually(`the bank settles ${id}`, look, oneSeedWithinMs);
}

async function play(cast: Cast, planned: PlannedDeposit): Promise<Sent> {
  const { bank } = cast.world;
  const places = cast.places[planned.partner];
  if (places === undefined) throw new Error('a partner that is not there');
  const amount = `${Math.floor(planned.amountCents / 100)}.${String(planned.amountCents % 100).padStart(2, '0')}`;
  const id =
    planned.method === 'usdc'
      ? await sendUsdc(bank, places.addressId, amount)
      : await sendPounds(bank, places.accountId, amount);
  const { partner, amountCents: cents } = planned;
  cast.tally.add(`sent_${planned.method}`);
  if (planned.fate === 'is refunded' && (await tryTo(cast, id, 'hold')) && (await tryTo(cast, id, 'refund')))
    return { id, partner, cents, endsAs: 'refunded' };
  if (planned.fate === 'is held for a while' && (await tryTo(cast, id, 'hold'))) await tryTo(cast, id, 'release');
  await untilProcessed(cast, id);
  if (planned.fate !== 'is taken back') return { id, partner, cents, endsAs: 'credited' };
  await tryTo(cast, id, 'refund');
  return { id, partner, cents, endsAs: 'reversed' };
}

async function deliver({ world }: Cast, mode: WebhookMode): Promise<void> {
  await world.bank.control('/webhooks', { mode });
}

/** The worker is killed where the bank has answered and nothing is written yet, or anywhere. */
async function killWorker({ world, tally, round }: Cast, { kill, killAfterMs }: FundingPlan): Promise<void> {
  if (kill === 'none') return;
  tally.add(kill === 'somewhere' ? 'kills_somewhere' : 'kills_at_the_answer');
  if (kill === 'somewhere') {
    await wait(killAfterMs);
    world.worker?.kill('SIGKILL');
  } else {
    const doomed = await world.restartWorker({ KELPIE_TEST_FAILPOINT: 'bank.list_deposits.after*1' });
    await round();
    await Promise.race([doomed.exited, wait(10_000)]);
  }
  await world.restartWorker();
}

interface OurDeposit {
  bank_deposit_id: string;
  state: string;
}

async function readOurs({ world }: Cast, ids: readonly string[]): Promise<Map<string, string>> {
  return asAdmin(world.database.superuserUrl, async (client) => {
    const { rows } = await client.query<OurDeposit>(
      'select bank_deposit_id, state from kelpie.deposits where bank_deposit_id = any ($1)',
      [ids],
    );
    return new Map(rows.map((row) => [row.bank_deposit_id, row.state]));
  });
}

/** Time passes and work comes round until every deposit is here what it is at the bank; what is not, in sentences. */
async function untilFollowed(cast: Cast, seed: number, sent: readonly Sent[]): Promise<string[]> {
  const until = performance.now() + oneSeedWithinMs;
  for (let looks = 0; ; looks += 1) {
    const ours = await readOurs(
      cast,
      sent.map(({ id }) => id),
    );
    const wrong = sent.filter(({ id, endsAs }) => ours.get(id) !== endsAs);
    if (wrong.length === 0) return [];
    if (performance.now() > until)
      return wrong.map(
        ({ id, endsAs }) => `seed ${seed}: deposit ${id} is ${ours.get(id) ?? 'unknown'}, not ${endsAs}`,
      );
    // What was taken back, and the webhook of that was lost, is found by the look back of each day.
    if (looks === 3) await cast.round('backfill-deposits');
    await passTime(cast.world, looks === 0 ? longestPauseMs : 61_000);
    await cast.round();
    await wait(400);
  }
}

/** Partners spend what came, and then the bank may take the largest of it back: that is owed. */
async function spendAll(cast: Cast, seed: number, plan: FundingPlan, early: Sent[]): Promise<string[]> {
  const violations = await untilFollowed(cast, seed, early);
  const credited = early.filter(({ endsAs }) => endsAs === 'credited');
  const largest = plan.takesBackSpent ? credited.toSorted((one, other) => other.cents - one.cents)[0] : undefined;
  for (const planned of plan.spends) violations.push(...(await spend(cast, planned)));
  if (largest === undefined) return violations;
  const all = { partner: largest.partner, percent: 99, drift: 50, fate: plan.spends[0]?.fate ?? 'arrives' };
  violations.push(...(await spend(cast, all)));
  cast.tally.add('taken_back_after_spending');
  if (await tryTo(cast, largest.id, 'refund')) largest.endsAs = 'reversed';
  return violations;
}

/** Where there is nothing to move, nobody is killed. */
async function killAtFloat({ world, tally, round }: Cast): Promise<void> {
  const doomed = await world.restartWorker({ KELPIE_TEST_FAILPOINT: 'bank.transfer_between_wallets.after*1' });
  await round('balance-floats');
  const isKilled = await Promise.race([doomed.exited.then(() => true), wait(4_000).then(() => false)]);
  if (isKilled) tally.add('kills_at_the_float');
  await world.restartWorker();
}

async function runSeed(cast: Cast, seed: number): Promise<string[]> {
  const plan = planFunding(seed);
  const { bank } = cast.world;
  const half = Math.ceil(plan.deposits.length / 2);
  await deliver(cast, plan.modes[0] ?? 'normal');
  if (plan.fault !== null) {
    cast.tally.add(`fault_${plan.fault.kind}`);
    await bank.control('/faults', { on: 'deposit.read', ...plan.fault });
  }
  const first = Promise.all(plan.deposits.slice(0, half).map(async (one) => play(cast, one)));
  const [, early] = await Promise.all([killWorker(cast, plan), first]);
  const wrong = await spendAll(cast, seed, plan, early);
  await deliver(cast, plan.modes[1] ?? 'normal');
  const late = await Promise.all(plan.deposits.slice(half).map(async (one) => play(cast, one)));
  for (const mode of plan.modes) cast.tally.add(`webhooks_${mode}`);
  const sent = [...early, ...late];
  const violations = [...wrong, ...(await untilFollowed(cast, seed, sent))];
  await bank.control('DELETE /faults');
  if (plan.killsAtFloat) await killAtFloat(cast);
  violations.push(...(await untilCovered(cast)).map((what) => `seed ${seed}: ${what}`));
  for (const { endsAs } of sent) cast.tally.add(`end_${endsAs}`);
  return violations;
}

/** Deposits under webhooks that are lost, doubled and shuffled, a bank that fails to answer, and workers that are killed. */
export const simulateFunding: Simulation = async ({ database, seed, seeds, say }) => {
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const cast = await startCast({ database }, (end) => void ends.push(end));
    const violations: string[] = [];
    const judged = { ...cast.world, processes: cast.world.processes };
    for (let n = 0; n < seeds; n += 1) {
      violations.push(...(await runSeed(cast, seed + n)));
      if (violations.length > 0) break;
      if (n % sayEverySeeds === sayEverySeeds - 1) say(`${n + 1} seeds ${JSON.stringify(cast.tally.counts())}`);
      const isLast = n === seeds - 1;
      if (n % judgeEverySeeds !== judgeEverySeeds - 1 && !isLast) continue;
      violations.push(...(await findViolations(judged)));
      say(`judged after ${n + 1} seeds: ${violations.length} violations`);
      if (violations.length > 0) break;
    }
    const { credits, reversals, payments } = await cast.world.bank.record();
    const figures = {
      ...cast.tally.counts(),
      ...(await countFloat(cast.world)),
      bank_credits: credits.length,
      bank_reversals: reversals.length,
      bank_payments: payments.length,
    };
    return { violations, figures };
  } finally {
    for (const end of ends.toReversed()) await end();
  }
};
