import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listInvoices } from '../../src/billing/invoices/store.ts';
import { listItems } from '../../src/billing/invoices/list-items.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createEmptyArchive } from '../harness/empty-archive.ts';
import { findBillingDifferences } from '../simulate/billing.ts';
import type { BillingEvent, PlannedPayout } from '../simulate/billing-plan.ts';
import { BillingWorld, prepareYear } from '../simulate/billing-world.ts';

// A payout that arrives in March, whose invoice is voided in April, and that comes back in May or before.

const database = await createTestDatabase();
await prepareYear(database);
const world = new BillingWorld(database);
after(async () => world.end());

const on = (day: string): number => Date.parse(`2028-${day}T12:00:00Z`);
const payout: PlannedPayout = {
  partner: 0,
  number: 0,
  amountPence: 10_000,
  rate: 790_000,
  networkFee: null,
  besides: 0,
};
const begin: readonly BillingEvent[] = [
  { at: on('03-02'), kind: 'approved', partner: 0 },
  { at: on('03-03'), kind: 'created', payout },
  { at: on('03-04'), kind: 'arrived', payout },
  { at: on('04-01'), kind: 'run', workers: 1 },
];
const back = { keptThousandths: 0, returnFee: null };
const voided: BillingEvent = { at: on('04-20'), kind: 'collect', partner: 0, period: '2028-03', act: 'void' };

/** The totals of the partner's invoices, the oldest first. */
async function play(events: readonly BillingEvent[]): Promise<{ partnerId: string; totals: bigint[] }> {
  world.beginAgain();
  for (const event of events) await world.perform(event);
  const [partnerId = ''] = world.partnerIds();
  const invoices = await listInvoices(world.calls, partnerId, { fromPeriod: '', atMost: 10 });
  return { partnerId, totals: invoices.map(({ total }) => total).toReversed() };
}

test('the fee of a payout that returns is not given back a second time where its invoice was voided before', async () => {
  const returned: BillingEvent = { at: on('05-05'), kind: 'returned', payout, back };
  const events: BillingEvent[] = [...begin, voided, returned, { at: on('06-01'), kind: 'run', workers: 1 }];
  const { partnerId, totals } = await play(events);
  assert.deepEqual(world.outcomes, ['void']);
  // 0.99 of the fee, 15.00 and 39.00, all void; then 15.00 each.
  assert.deepEqual(totals, [5_499n, 1_500n, 1_500n]);
  const [may] = await listInvoices(world.calls, partnerId, { fromPeriod: '2028-05', atMost: 1 });
  assert(may !== undefined);
  const { items } = await listItems(
    { calls: world.calls, archive: createEmptyArchive(), nameOldPayouts: async () => new Map() },
    partnerId,
    may,
    {
      kind: 'credit',
      after: null,
      limit: 10,
    },
  );
  assert.deepEqual(
    items.map(({ effect, amount }) => [effect, amount]),
    [
      ['credit', 990_000n],
      ['taken_back', 990_000n],
    ],
  );
});

test('an invoice is not voided once the fee of a payout on it was given back', async () => {
  const returned: BillingEvent = { at: on('04-10'), kind: 'returned', payout, back };
  const events: BillingEvent[] = [...begin, returned, voided, { at: on('05-01'), kind: 'run', workers: 1 }];
  const { totals } = await play(events);
  assert.deepEqual(world.outcomes, ['has_credits']);
  assert.deepEqual(totals, [5_499n, 1_500n - 99n]);
});

test('after both the ledger balances', async () => {
  assert.deepEqual(await findBillingDifferences(database), []);
});
