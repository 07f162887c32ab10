import type { MoveStep } from '../../src/cells/move.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { openEndpoint, startCellsCast, type AtEnd, type CellsCast } from './cells-cast.ts';
import {
  checkOtherAddresses,
  completeHistory,
  payFirst,
  replayKeys,
  startLoad,
  type CellsClients,
} from './cells-clients.ts';
import { becomeQuiet, judgeCells, readRemains, untilNumbered } from './cells-end.ts';
import { beforeTheSwitch, breakOffEarly, moveAtLast } from './cells-moves.ts';
import type { RestlessEndpoint } from './events-endpoints.ts';
import { reportErrors } from './payouts-end.ts';
import { randomFrom } from './random.ts';
import type { Simulation } from './simulation.ts';
import { createTally } from './tally.ts';

async function slugOf({ from, moved }: CellsCast): Promise<string> {
  const { rows } = await asAdmin(from.database.superuserUrl, async (client) =>
    client.query<{ slug: string }>('select slug from kelpie.partners where id = $1', [moved.partnerId]),
  );
  return rows[0]?.slug ?? '';
}

type Say = (text: string) => void;

interface CellsMoves {
  /** Of the partner that is moved in the end. */
  payouts: number;
  abortedAt: readonly MoveStep[];
}

async function underLoad<Result>(clients: CellsClients, work: () => Promise<Result>): Promise<Result> {
  const load = startLoad(clients);
  try {
    return await work();
  } finally {
    await load.stop();
  }
}

/** Returns how long the partner was held in the end, and who watched its events. */
async function play(
  clients: CellsClients,
  { payouts, abortedAt, atEnd, say }: CellsMoves & { atEnd: AtEnd; say: Say },
): Promise<{ freezeMs: number; endpoint: RestlessEndpoint }> {
  const { cast } = clients;
  const slug = await slugOf(cast);
  await payFirst(clients, payouts);
  await checkOtherAddresses(clients, slug);
  await underLoad(clients, async () => breakOffEarly(clients, { abortedAt, say }));
  await completeHistory(clients, payouts, say);
  await untilNumbered(cast);
  say('the history is there');
  const endpoint = await openEndpoint(cast, clients.random, atEnd);
  clients.slowestMs = 0;
  const freezeMs = await underLoad(clients, async () => moveAtLast(clients, say));
  await checkOtherAddresses(clients, slug);
  return { freezeMs, endpoint };
}

/**
 * A partner with so many payouts is moved from one cell to another while it creates 20 more a second. Each step before the switch
 * is killed once and aborted once; a small partner is moved by movers that are killed at each step after it.
 */
export function simulateCells({
  payouts,
  abortedAt = beforeTheSwitch,
}: Partial<CellsMoves> & { payouts: number }): Simulation {
  return async ({ database, seed, say }) => {
    const ends: (() => Promise<unknown>)[] = [];
    const atEnd: AtEnd = (end) => void ends.push(end);
    const random = randomFrom(seed);
    try {
      const cast = await startCellsCast({ database }, atEnd);
      const tally = createTally();
      const clients: CellsClients = { cast, random, tally, violations: [], acknowledged: new Map(), slowestMs: 0 };
      const { freezeMs, endpoint } = await play(clients, { payouts, abortedAt, atEnd, say });
      const { moved, small, from } = cast;
      const remains = new Map([
        [moved, await readRemains(from, moved)],
        [small, await readRemains(from, small)],
      ]);
      const replayed = (await replayKeys(clients, moved)) + (await replayKeys(clients, small));
      const open = await becomeQuiet(cast, say);
      const { sentences, figures } = await judgeCells(clients, { remains, endpoint });
      const violations = [...clients.violations, ...open, ...sentences];
      if (violations.length > 0) reportErrors(cast, say);
      const { slowestMs } = clients;
      const measured = { ...figures, replayed, freeze_ms: freezeMs, slowest_ms: slowestMs };
      return { violations, figures: { ...tally.counts(), ...measured } };
    } finally {
      for (const end of ends.toReversed()) await end();
    }
  };
}
