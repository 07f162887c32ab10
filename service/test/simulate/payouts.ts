import { setTimeout as wait } from 'node:timers/promises';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { openRounds, untilFunded } from '../funding/topping-up.ts';
import { createTestClock, type TestClock } from '../harness/clock.ts';
import { countStates } from '../harness/invariants.ts';
import type { TestPartner } from '../harness/partners.ts';
import { startWorld, type World } from '../harness/world.ts';
import { createRestlessBank, type RestlessBank } from './payouts-bank.ts';
import { createClients, type Clients } from './payouts-clients.ts';
import { becomeQuiet, judge, reportErrors, printAuditTrails } from './payouts-end.ts';
import { countFloat, untilCovered } from './until-covered.ts';
import { planPayouts, type PayoutsPlan, type PlannedEvent } from './payouts-plan.ts';
import { startProcesses, type Processes } from './payouts-processes.ts';
import type { Simulation } from './simulation.ts';
import { createTally, type Tally } from './tally.ts';

/** Long enough that a transfer can be held, failed or cancelled on its way. */
const settleAfterMs = 4_000;
const progressEveryMs = 10_000;

interface Cast {
  world: World;
  clock: TestClock;
  round: (queue?: string) => Promise<void>;
  bank: RestlessBank;
  clients: Clients;
  processes: Processes;
  tally: Tally;
  violations: string[];
}

async function startCast(
  { database }: Pick<Parameters<Simulation>[0], 'database'>,
  plan: PayoutsPlan,
  atEnd: (end: () => Promise<unknown>) => void,
): Promise<Cast> {
  const clock = createTestClock({ atEnd });
  const env = { KELPIE_TEST_CLOCK_FILE: clock.file };
  const world = await startWorld({ database, settleAfterMs, env, withFloat: true, atEnd });
  const round = await openRounds(database, atEnd);
  await round('open-funding');
  const { addressId } = await untilFunded(database, world.partner);
  const partners: TestPartner[] = [world.partner];
  while (partners.length < plan.partners) partners.push(await world.addPartner());
  const { processes, urls } = await startProcesses(world);
  const tally = createTally();
  const violations: string[] = [];
  const clients = createClients({ partners, urls, tally, violations });
  const bank = createRestlessBank({ bank: world.bank, partners, addressId, tally });
  return { world, clock, round, bank, clients, processes, tally, violations };
}

function perform({ bank, clients, processes, tally }: Cast, event: PlannedEvent): void {
  switch (event.kind) {
    case 'create':
    case 'repeat':
    case 'reuse':
      return clients.ask(event.order);
    case 'cancel': {
      const { order } = event;
      return bank.act({ act: 'hold', order, body: { state: 'awaiting_funds' } }, () => clients.cancel(order));
    }
    case 'act':
      return bank.act(event);
    case 'deposit':
      return event.act === 'top_up' ? bank.topUp() : bank.takeBack();
    case 'fault':
      return bank.spoil(event.fault);
    case 'webhooks':
      return bank.deliver(event.mode);
    case 'kill': {
      if (event.victim === 'bank') return bank.kill();
      return processes.kill(event.victim, tally);
    }
  }
}

async function performAll(cast: Cast, { events }: PayoutsPlan, say: (text: string) => void): Promise<void> {
  const startedAt = performance.now();
  let nextSayMs = progressEveryMs;
  for (const event of events) {
    const earlyMs = startedAt + event.atMs - performance.now();
    if (earlyMs > 0) await wait(earlyMs);
    perform(cast, event);
    if (event.atMs < nextSayMs) continue;
    say(`${Math.round(event.atMs / 1_000)} s ${JSON.stringify(cast.tally.counts())}`);
    nextSayMs += progressEveryMs;
  }
}

/** Everything works again, and everybody is told. */
async function heal({ bank, clients, processes }: Cast): Promise<void> {
  await bank.heal();
  await processes.finish();
  await clients.finish();
}

/** What was left to a person, by its kind. */
async function countCases({ database }: World): Promise<[kind: string, count: number][]> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ kind: string; count: number }>(
      'select kind, count(*)::int as count from kelpie.cases group by kind order by kind',
    );
    return rows.map(({ kind, count }) => [`cases_${kind}`, count]);
  });
}

async function figuresOf({ world, clients, tally }: Cast): Promise<Record<string, number>> {
  const { payments, refunds } = await world.bank.record();
  const states = Object.entries(await countStates(world.database));
  return {
    ...tally.counts(),
    bank_payments: payments.length,
    bank_refunds: refunds.length,
    ...Object.fromEntries(states.map(([state, count]) => [`end_${state}`, count])),
    ...Object.fromEntries(await countCases(world)),
    ...(await countFloat(world)),
    longest_wait_s: Math.round(clients.longestWaitMs() / 100) / 10,
  };
}

/** Partners, kills, a bank that fails and webhooks in disorder, at 20 payouts a second. */
export const simulatePayouts: Simulation = async ({ database, seconds, seed, say }) => {
  const plan = planPayouts({ seed, seconds });
  say(`plan ${plan.digest}: ${plan.events.length} events, ${plan.partners} partners`);
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const cast = await startCast({ database }, plan, (end) => void ends.push(end));
    await performAll(cast, plan, say);
    say('all is well from now on');
    await heal(cast);
    await becomeQuiet(cast, say);
    const uncovered = await untilCovered({ ...cast, world: Object.assign(cast.world, { clock: cast.clock }) });
    const violations = [...cast.violations, ...uncovered, ...(await judge(cast))];
    if (violations.length > 0) reportErrors(cast.world, say);
    await printAuditTrails(database, violations, say);
    const figures = await figuresOf(cast);
    if (figures['created'] === undefined || figures['kills_api'] === undefined)
      violations.push('nothing was created, or nobody was killed: this shows nothing');
    return { violations, figures: { plan: plan.digest, ...figures } };
  } finally {
    for (const end of ends.toReversed()) await end();
  }
};
