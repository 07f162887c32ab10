import { setTimeout as wait } from 'node:timers/promises';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { findViolations } from '../harness/invariants.ts';
import { killOne, playEndpoint, startEventsCast, type EventsCast } from './events-cast.ts';
import { createAll, type EventsClients } from './events-clients.ts';
import { judgeAll } from './events-end.ts';
import { printAuditTrails, reportErrors } from './payouts-end.ts';
import { randomFrom, type Random } from './random.ts';
import type { Simulation } from './simulation.ts';
import { createTally } from './tally.ts';

/** Each payout has two events, or one where it fails. */
const eventsAPayout = 2;
const mostPerSecond = 25;
/** Shorter, and too few would be killed. */
const leastSeconds = 20;
const killEveryMs = [1_500, 4_000] as const;
const mostLosses = 1_000;
const progressEveryMs = 10_000;
/** An endpoint that failed for long is tried again within some six minutes. */
const quietWithinMs = 600_000;

interface Open {
  payouts: number;
  unnumbered: number;
  deliveries: number;
  events: number;
}

const openSql = `
  select (select count(*)::int from kelpie.payouts where state in ('sending', 'pending', 'processing')) as payouts,
    (select count(*)::int from kelpie.unnumbered_events) as unnumbered,
    (select count(*)::int from kelpie.webhook_deliveries where state = 'pending') as deliveries,
    (select count(*)::int from kelpie.events) as events`;

async function readOpen({ database }: EventsCast['world']): Promise<Open> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<Open>(openSql);
    if (rows[0] === undefined) throw new Error('a count has a row');
    return rows[0];
  });
}

async function becomeQuiet({ world }: EventsCast, say: (text: string) => void): Promise<string[]> {
  const until = performance.now() + quietWithinMs;
  for (let looks = 0; ; looks += 1) {
    const { events: _events, ...open } = await readOpen(world);
    if (Object.values(open).every((count) => count === 0)) return [];
    if (performance.now() > until) return [`still open: ${JSON.stringify(open)}`];
    if (looks % 10 === 0) say(`still open: ${JSON.stringify(open)}`);
    await wait(1_000);
  }
}

/** Does it again and again, after pauses of random length, until it is over. */
async function repeatUntil(
  over: AbortSignal,
  random: Random,
  [least, most]: readonly [number, number],
  work: () => Promise<void>,
): Promise<void> {
  while (!over.aborted) {
    await wait(least + random.below(most - least), undefined, { signal: over }).catch(() => undefined);
    if (!over.aborted) await work();
  }
}

async function play(clients: EventsClients, events: number, seed: number, say: (text: string) => void): Promise<void> {
  const { cast, tally } = clients;
  const over = new AbortController();
  const { signal } = over;
  const killer = randomFrom(seed + 1);
  const around = [
    repeatUntil(signal, killer, killEveryMs, async () => killOne(cast, killer, tally)),
    ...cast.endpoints.map(async (endpoint, at) => playEndpoint(endpoint, randomFrom(seed + 10 + at), signal)),
    repeatUntil(signal, randomFrom(seed + 2), [progressEveryMs, progressEveryMs + 1], async () =>
      say(`${JSON.stringify(await readOpen(cast.world))} ${JSON.stringify(tally.counts())}`),
    ),
  ];
  const payouts = Math.ceil(events / eventsAPayout / 0.97);
  const seconds = Math.max(leastSeconds, payouts / mostPerSecond);
  try {
    await createAll(clients, { payouts, perSecond: payouts / seconds });
  } finally {
    over.abort();
    await Promise.all(around);
  }
}

/** What has to have happened, or the run shows nothing. */
function missing(figures: Readonly<Record<string, number>>, wanted: { events: number; losses: number }): string[] {
  const none = ['kills_api', 'kills_worker', 'refused', 'redirected', 'unanswered'].filter((name) => !figures[name]);
  if ((figures['events'] ?? 0) < wanted.events) none.push(`event ${wanted.events}`);
  if ((figures['lost'] ?? 0) < wanted.losses) none.push(`loss ${wanted.losses}`);
  return none.map((name) => `there was no ${name}: this shows nothing`);
}

/**
 * Events of three partners go to eight endpoints that fail, hang, redirect, go away and come back, while three apis and two workers are
 * killed. In the end all endpoints are well, and each has to have every event that it wants.
 */
export function simulateEvents(events: number): Simulation {
  return async ({ database, seed, say }) => {
    const ends: (() => Promise<unknown>)[] = [];
    const atEnd = (end: () => Promise<unknown>): void => void ends.push(end);
    const [random, tally] = [randomFrom(seed), createTally()];
    const losses = Math.min(mostLosses, Math.floor(events / 10));
    try {
      const cast = await startEventsCast({ database, losses, random, atEnd });
      const clients: EventsClients = { cast, random, tally, violations: [], acknowledged: new Set() };
      await play(clients, events, seed, say);
      say('all is well from now on');
      for (const { lane } of cast.processes) await lane.finish();
      const open = await becomeQuiet(cast, say);
      const { sentences, figures: judged } = await judgeAll(cast);
      const acknowledged = [...clients.acknowledged];
      const broken = await findViolations({ ...cast.world, acknowledged });
      const figures = { ...tally.counts(), ...judged };
      const violations = [
        ...clients.violations,
        ...open,
        ...sentences,
        ...broken,
        ...missing(figures, { events, losses }),
      ];
      if (violations.length > 0) reportErrors(cast.world, say);
      await printAuditTrails(database, violations, say);
      return { violations, figures };
    } finally {
      for (const end of ends.toReversed()) await end();
    }
  };
}
