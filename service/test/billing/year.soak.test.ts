import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '../harness/database.ts';
import { findBillingDifferences, simulateYear } from '../simulate/billing.ts';
import { expectYear, monthInLondon } from '../simulate/billing-model.ts';
import { planBilling } from '../simulate/billing-plan.ts';
import { BillingWorld, prepareYear } from '../simulate/billing-world.ts';

// The short form of `npm run simulate -- billing --seeds 200`.

const database = await createTestDatabase();
await prepareYear(database);
const world = new BillingWorld(database);
after(async () => world.end());

test('faults 29: a leap year of random payouts, returns and plan changes is invoiced as the model says, to the penny', async (t) => {
  let invoices = 0;
  for (let seed = 1; seed <= 5; seed += 1) {
    const year = await simulateYear(world, seed);
    assert.deepEqual(year.violations, []);
    invoices += year.invoices;
  }
  assert(invoices >= 50, `${invoices} invoices`);
  t.diagnostic(`${invoices} invoices`);
});

test('after all of that the ledger balances, and every invoice is what was posted', async () => {
  assert.deepEqual(await findBillingDifferences(database), []);
});

test('the same seed makes the same plan, and another seed another', () => {
  assert.deepEqual(planBilling({ seed: 1 }), planBilling({ seed: 1 }));
  assert.notDeepEqual(planBilling({ seed: 1 }), planBilling({ seed: 2 }));
});

test('among the plans of a few seeds is everything that is to be tried', () => {
  const all = Array.from({ length: 20 }, (_, seed) => planBilling({ seed: seed + 1 }));
  const kinds = new Set(all.flatMap(({ events }) => events.map(({ kind }) => kind)));
  assert.deepEqual([...kinds].toSorted(), [
    'approved',
    'arrived',
    'collect',
    'created',
    'exception',
    'failed',
    'plan',
    'returned',
    'run',
  ]);
  const arrivals = all.flatMap(({ events }) => events.filter(({ kind }) => kind === 'arrived').map(({ at }) => at));
  const midnights = arrivals.filter((at) => monthInLondon(at) !== monthInLondon(at - 1));
  assert(midnights.length > 0, 'no payout arrives as a month begins');
  const years = all.map(expectYear);
  const outcomes = new Set(years.flatMap((year) => year.outcomes));
  for (const outcome of ['paid', 'part_paid', 'void', 'not_open', 'has_payments', 'has_credits', 'no_invoice'])
    assert(outcomes.has(outcome), outcome);
  const invoices = years.flatMap((year) => year.invoices);
  assert(
    invoices.some(({ carriedOut }) => carriedOut > 0n) && invoices.some(({ lines }) => (lines['credit'] ?? 0n) > 0n),
  );
});

test('the model knows when it is which month in London', () => {
  for (const [at, month] of [
    ['2028-01-31T23:59:59.999Z', '2028-01'],
    ['2028-02-29T23:59:59.999Z', '2028-02'],
    ['2028-03-31T22:59:59.999Z', '2028-03'],
    ['2028-03-31T23:00:00.000Z', '2028-04'],
    ['2028-09-30T23:00:00.000Z', '2028-10'],
    ['2028-10-31T23:00:00.000Z', '2028-10'],
    ['2028-11-01T00:00:00.000Z', '2028-11'],
  ] as const)
    assert.equal(monthInLondon(Date.parse(at)), month, at);
});
