import { setTimeout as wait } from 'node:timers/promises';
import { findViolations } from '../harness/invariants.ts';
import { changeCaps, startCapsCast, type CapsCast } from './caps-cast.ts';
import { lanes, playLane, releaseAll, type CapsClients } from './caps-clients.ts';
import { countSpending, judgeCast } from './caps-end.ts';
import { becomeQuiet, printAuditTrails, reportErrors } from './payouts-end.ts';
import { randomFrom, type Random } from './random.ts';
import type { Simulation } from './simulation.ts';
import { createTally, type Tally } from './tally.ts';

const progressEveryMs = 10_000;
const killEveryMs = [2_000, 5_000] as const;
const changeEveryMs = [200, 900] as const;
const faultEveryMs = [300, 1_200] as const;

/** Does it again and again, after pauses of random length, until the time is over. */
async function repeatUntil(
  until: number,
  random: Random,
  [least, most]: readonly [number, number],
  work: () => Promise<void>,
): Promise<void> {
  for (;;) {
    const pauseMs = least + random.below(most - least);
    if (performance.now() + pauseMs >= until) return;
    await wait(pauseMs);
    await work();
  }
}

function killOne({ apis }: CapsCast, random: Random, tally: Tally): void {
  const api = apis[random.below(apis.length)];
  // One that is still being started is dead already.
  if (api === undefined || api.lane.isBusy()) return tally.add('kills_of_the_dead');
  tally.add('kills_api');
  api.lane.add(api.killAndStart);
}

/** What the bank refuses was never sent, and the limits get it back. */
async function spoil({ world }: CapsCast, random: Random, tally: Tally): Promise<void> {
  const on = random.below(3) === 0 ? 'external_account.create' : 'transfer.create';
  const rejection = { status: 400, code: 'invalid_parameters', delay_ms: 0, micro_usdc: 0 };
  await world.bank.control('/faults', { ...rejection, on, kind: 'reject', times: 1 + random.below(4) });
  tally.add('faults');
}

async function play(cast: CapsCast, clients: CapsClients, seed: number, until: number, say: (text: string) => void) {
  const { random, tally } = clients;
  const own = (nth: number): Random => randomFrom(seed + nth);
  const partnerOf = (one: Random) => cast.partners[one.below(cast.partners.length)];
  const [killer, changer, spoiler] = [own(1), own(2), own(3)];
  await Promise.all([
    ...Array.from({ length: lanes }, async () => playLane({ ...clients, random }, until)),
    repeatUntil(until, killer, killEveryMs, async () => killOne(cast, killer, tally)),
    repeatUntil(until, changer, changeEveryMs, async () => {
      const partner = partnerOf(changer);
      if (partner === undefined) return;
      await changeCaps(cast, partner, changer);
      tally.add('limit_changes');
    }),
    repeatUntil(until, spoiler, faultEveryMs, async () => spoil(cast, spoiler, tally)),
    repeatUntil(until, own(4), [progressEveryMs, progressEveryMs + 1], async () =>
      say(`${cast.now().toISOString()} ${JSON.stringify(tally.counts())}`),
    ),
  ]);
}

/** What has to have happened, or the run shows nothing. */
function missing(figures: Readonly<Record<string, number>>): string[] {
  const needed = [
    'answers_201',
    'answers_422_limit_exceeded',
    'kills_api',
    'limit_changes',
    'given_back',
    'known_payees',
  ];
  const none = needed.filter((name) => (figures[name] ?? 0) === 0);
  if ((figures['days'] ?? 0) < 2) none.push('midnight');
  return none.map((name) => `there was no ${name}: this shows nothing`);
}

/** 200 callers race for limits that change, on three apis that are killed, from one day in London into the next. */
export const simulateCaps: Simulation = async ({ database, seconds, seed, say }) => {
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const cast = await startCapsCast({ database, seconds }, (end) => void ends.push(end));
    const clients: CapsClients = {
      cast,
      random: randomFrom(seed),
      tally: createTally(),
      violations: [],
      acknowledged: new Set(),
      kept: new Set(),
    };
    await play(cast, clients, seed, performance.now() + seconds * 1_000, say);
    say('all is well from now on');
    await cast.world.bank.control('DELETE /faults');
    await releaseAll(clients);
    for (const { lane } of cast.apis) await lane.finish();
    await becomeQuiet(cast, say);
    const acknowledged = [...clients.acknowledged];
    const found = [...(await judgeCast(cast)), ...(await findViolations({ ...cast.world, acknowledged }))];
    const figures = { ...clients.tally.counts(), ...(await countSpending(cast)), refusals_judged: refusals(cast) };
    const violations = [...clients.violations, ...found, ...missing(figures)];
    if (violations.length > 0) reportErrors(cast.world, say);
    await printAuditTrails(database, violations, say);
    return { violations, figures };
  } finally {
    for (const end of ends.toReversed()) await end();
  }
};

function refusals({ partners }: CapsCast): number {
  return partners.reduce((sum, partner) => sum + partner.refusals.length, 0);
}
