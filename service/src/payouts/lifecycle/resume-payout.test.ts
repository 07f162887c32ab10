import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { createPartners } from '../../../test/harness/partners.ts';
import { createPayoutDeps } from '../../../test/harness/payout-deps.ts';
import { plantPayout } from '../../../test/harness/planted-payout.ts';
import { createSimulatedBank, type FindOutcome } from '../../banks/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { resumePayout } from './resume-payout.ts';
import { wakePayout, claimDuePayouts } from '../records/lease-store.ts';

const database = await createTestDatabase();
const [partner] = await createPartners(database, 1);
assert(partner !== undefined);
const payout = await plantPayout(database, partner, 'not_created');

let answer: FindOutcome = { kind: 'unknown', text: 'deadline' };
const bank = { ...createSimulatedBank(systemClock), findPayment: async () => answer };
const deps = createPayoutDeps(database, { provider_sandbox: bank });
const { calls } = deps;

async function count(table: 'payout_leases' | 'cases'): Promise<number> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rowCount } = await admin.query(`select from kelpie.${table} where payout_id = $1`, [payout.id]);
    return rowCount ?? 0;
  });
}

async function resumeIn(afterMs: number): Promise<void> {
  const now = new Date(systemClock.now().getTime() + afterMs);
  const [open] = await claimDuePayouts(calls, { environment: 'sandbox', now, leaseMs: 1_000, most: 1 });
  assert(open !== undefined);
  await resumePayout(deps, open);
}

test('news of a payment that we believe was never made is kept until the bank has told what it is', async () => {
  const news = { environment: 'sandbox', orderId: payout.orderId, paymentId: 't9', at: systemClock.now() } as const;
  assert(await wakePayout(calls, news));
  await resumeIn(0);
  assert.deepEqual([await count('payout_leases'), await count('cases')], [1, 0]);
  const said = {
    state: 'arrived',
    bankState: 'payment_processed',
    taken: 1n,
    refunded: null,
    failure: null,
    networkFee: null,
    returnFee: null,
    pays: null,
    recipientId: null,
  } as const;
  answer = { kind: 'found', payment: { id: 't9', ourReference: payout.orderId, ...said } };
  await resumeIn(3_600_000);
  assert.deepEqual([await count('payout_leases'), await count('cases')], [0, 1]);
});
