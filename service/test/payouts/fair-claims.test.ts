import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../harness/database.ts';
import { plantDuePayouts } from '../harness/due-payouts.ts';
import { createPartners } from '../harness/partners.ts';
import { createPayoutDeps } from '../harness/payout-deps.ts';
import { createSimulatedBank } from '../../src/banks/index.ts';
import { claimDuePayouts } from '../../src/payouts/records/lease-store.ts';
import { systemClock } from '../../src/platform/clock.ts';

const database = await createTestDatabase();
const [busy, quiet] = await createPartners(database, 2);
const [live] = await createPartners(database, 1, 'live');
assert(busy !== undefined && quiet !== undefined && live !== undefined);
const { calls } = createPayoutDeps(database, { provider_sandbox: createSimulatedBank(systemClock) });
const anHourAgo = new Date(systemClock.now().getTime() - 3_600_000);

async function claim(environment: 'sandbox' | 'live', most: number, fullPartners: string[] = []): Promise<string[]> {
  const now = systemClock.now();
  const claimed = await claimDuePayouts(calls, { environment, now, leaseMs: 60_000, most, fullPartners });
  return claimed.map(({ partnerId }) => partnerId);
}

test('faults 73: partners take turns, however many payouts one of them has due, and for how long', async () => {
  await plantDuePayouts(database, busy, { count: 2_000, from: anHourAgo });
  await plantDuePayouts(database, quiet, { count: 3 });
  const first = await claim('sandbox', 4);
  assert.deepEqual(
    [first.length, first.filter((id) => id === quiet.partnerId).length],
    [4, 2],
    'two of each partner are first',
  );
  const second = await claim('sandbox', 32);
  assert.deepEqual([second.length, second.filter((id) => id === quiet.partnerId).length], [32, 1]);
});

test('faults 73: a partner that has its share of a worker is left out', async () => {
  assert.deepEqual(await claim('sandbox', 32, [busy.partnerId]), []);
  await plantDuePayouts(database, quiet, { count: 2 });
  assert.deepEqual(await claim('sandbox', 32, [busy.partnerId]), [quiet.partnerId, quiet.partnerId]);
});

test('faults 73: what is due in sandbox is nothing to live, and no payout is claimed twice', async () => {
  await plantDuePayouts(database, live, { count: 40 });
  const claims = await Promise.all(Array.from({ length: 5 }, async () => claim('live', 16)));
  const claimed = claims.flat();
  // Two that chose the same rows leave some to the next turn.
  for (let turns = 0; claimed.length < 40 && turns < 40; turns += 1) claimed.push(...(await claim('live', 16)));
  assert.deepEqual([claimed.length, new Set(claimed)], [40, new Set([live.partnerId])]);
  assert.deepEqual(await claim('live', 16), []);
});

/** How many pages a call of the database reads, those of what it calls included. */
async function countPages(sql: string): Promise<number> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<object>(`explain (analyze, buffers, format json) ${sql}`);
    const [hit, read] = ['Hit', 'Read'].map((how) => valueAt(rows, `0.QUERY PLAN.0.Plan.Shared ${how} Blocks`));
    assert(typeof hit === 'number' && typeof read === 'number');
    return hit + read;
  });
}

test('faults 73: what a claim reads, and the next due, depends on the number of partners and not on what they have due', async () => {
  const many = await createPartners(database, 40);
  const plant = async (count: number): Promise<void> => {
    for (const partner of many) await plantDuePayouts(database, partner, { count, from: anHourAgo });
  };
  const claimed = `select kelpie.claim_due_payouts('sandbox', now(), interval '1 minute', 8, '{}')`;
  const next = 'select kelpie.next_due_payouts()';
  await plant(20);
  const [ofFew, nextOfFew] = [await countPages(claimed), await countPages(next)];
  await plant(100);
  const [ofMany, nextOfMany] = [await countPages(claimed), await countPages(next)];
  assert(ofMany < ofFew * 1.5, `${ofFew} pages, then ${ofMany}`);
  assert(nextOfMany < nextOfFew + 10, `${nextOfFew} pages, then ${nextOfMany}`);
});
