import { setTimeout as wait } from 'node:timers/promises';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { passTime, type TestClock } from '../harness/clock.ts';
import type { World } from '../harness/world.ts';

interface Covered {
  world: Pick<World, 'database' | 'bank'> & { clock: TestClock };
  round: (queue?: string) => Promise<void>;
}

const withinMs = 90_000;

interface Open {
  payouts: number;
  moves: number;
  wallets: number;
  jobs: number;
  /** Payouts that came back, as we know. */
  refunds: number;
}

const openSql = `
  select (select count(*)::int from kelpie.payouts p where p.state in ('sending', 'pending', 'processing') and not exists (
      select from kelpie.cases c where c.payout_id = p.id and c.closed_at is null)) as payouts,
    (select count(*)::int from kelpie.float_moves where state = 'open') as moves,
    (select count(*)::int from kelpie.list_uncovered_wallets('00000000-0000-0000-0000-000000000000', 500)) as wallets,
    (select count(*)::int from pgboss.job where name in ('balance-floats', 'late-returns')
      and state in ('created', 'active', 'retry')) as jobs,
    (select count(*)::int from kelpie.payouts where bank_refunded_micro_usdc is not null) as refunds`;

async function readOpen({ database }: Pick<World, 'database'>): Promise<Open> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<Open>(openSql);
    if (rows[0] === undefined) throw new Error('a count has a row');
    return rows[0];
  });
}

/** Time passes until payouts are at their ends, no move of the float is open, and every wallet is covered. */
export async function untilCovered({ world, round }: Covered): Promise<string[]> {
  const { refunds } = await world.bank.record();
  const until = performance.now() + withinMs;
  for (let looks = 0; ; looks += 1) {
    // What came back while webhooks were lost is found by the look of each day.
    if (looks % 4 === 1) for (const queue of ['late-returns', 'backfill-deposits', 'read-deposits']) await round(queue);
    await round('balance-floats');
    await wait(300);
    const open = await readOpen(world);
    const waiting = { ...open, refunds: refunds.length - open.refunds };
    if (Object.values(waiting).every((count) => count === 0)) return [];
    if (performance.now() > until) return [`still open or not covered: ${JSON.stringify(waiting)}`];
    // The first few minutes are for the bank; after that a day's limit, or an hour after a refusal, may be in the way.
    await passTime(world, looks < 10 ? 61_000 : 3 * 3_600_000);
  }
}

/** How many moves of the float there were, and how often a debt began and ended. */
export async function countFloat({ database }: Pick<World, 'database'>): Promise<Record<string, number>> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ what: string; count: number }>(
      `select kind || '_' || state as what, count(*)::int as count from kelpie.float_moves group by 1
       union all select 'debt_' || what, count(*)::int from kelpie.payment_block_history where cause = 'debt' group by 1`,
    );
    return Object.fromEntries(rows.map(({ what, count }) => [what, count]));
  });
}
