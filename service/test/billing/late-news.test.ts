import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listInvoices } from '../../src/billing/invoices/store.ts';
import { createTestDatabase } from '../harness/database.ts';
import { findBillingDifferences } from '../simulate/billing.ts';
import type { PlannedPayout } from '../simulate/billing-plan.ts';
import { BillingWorld, prepareYear } from '../simulate/billing-world.ts';

// News of payouts that a process began to book before its month was closed, and comes with afterwards.

const database = await createTestDatabase();
await prepareYear(database);
const world = new BillingWorld(database);
after(async () => world.end());

const payout = (number: number, amountPence: number): PlannedPayout => ({
  partner: 0,
  number,
  amountPence,
  rate: 790_000,
  networkFee: null,
  besides: 0,
});
const [slow, back] = [payout(1, 10_000), payout(2, 20_000)];
const whole = { keptThousandths: 0, returnFee: null };

const at = (text: string): number => Date.parse(text);
const lastOfJanuary = at('2028-01-31T23:59:59.999Z');

test('what comes too late for a closed month does nothing at all, and tried again it is on the next invoice, once', async () => {
  await world.perform({ kind: 'approved', at: at('2028-01-10T12:00:00Z'), partner: 0 });
  for (const one of [slow, back]) await world.perform({ kind: 'created', at: at('2028-01-31T12:00:00Z'), payout: one });
  await world.perform({ kind: 'arrived', at: at('2028-01-31T13:00:00Z'), payout: back });
  await world.perform({ kind: 'run', at: at('2028-02-01T00:05:00Z'), workers: 2 });

  for (let tries = 0; tries < 2; tries += 1) {
    const arrived = world.perform({ kind: 'arrived', at: lastOfJanuary, payout: slow });
    await assert.rejects(arrived, { code: 'KP423' });
    const returned = world.perform({ kind: 'returned', at: lastOfJanuary, payout: back, back: whole });
    await assert.rejects(returned, { code: 'KP423' });
  }
  const midnight = at('2028-02-01T00:00:00Z');
  await world.perform({ kind: 'arrived', at: midnight, payout: slow });
  await world.perform({ kind: 'returned', at: midnight, payout: back, back: whole });
  await world.perform({ kind: 'run', at: at('2028-03-01T00:05:00Z'), workers: 2 });

  const [partnerId = ''] = world.partnerIds();
  const invoices = await listInvoices(world.calls, partnerId, { fromPeriod: '', atMost: 10 });
  const reported = invoices.toReversed().map(({ period, lines, total }) => ({
    period,
    lines: lines.map(({ kind, amount }) => [kind, amount]),
    total,
  }));
  assert.deepEqual(reported, [
    {
      period: '2028-01',
      // 2.99 less the bank's 1.50.
      lines: [
        ['payout_fees', 149n],
        ['monthly_account', 1_500n],
        ['business_verification', 3_900n],
      ],
      total: 5_549n,
    },
    {
      period: '2028-02',
      // 1.99 less the bank's 1.00; and what was returned was invoiced before.
      lines: [
        ['payout_fees', 99n],
        ['monthly_account', 1_500n],
        ['credit', 149n],
      ],
      total: 1_450n,
    },
  ]);
  assert.deepEqual(await findBillingDifferences(database), []);
});
