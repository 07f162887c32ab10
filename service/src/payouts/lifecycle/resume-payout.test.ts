import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { createPartners } from '../../../test/harness/partners.ts';
import { createPayoutDeps } from '../../../test/harness/payout-deps.ts';
import { plantPayout } from '../../../test/harness/planted-payout.ts';
import { createSimulatedBank, type FindOutcome, type PaymentRecord, type Readiness } from '../../banks/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { resumePayout } from './resume-payout.ts';
import { claimDuePayouts, releasePayoutLease, wakePayout } from '../records/lease-store.ts';

const database = await createTestDatabase();
const [created] = await createPartners(database, 1);
assert(created !== undefined);
const partner = created;
const payout = await plantPayout(database, partner, 'not_created');

let answer: FindOutcome = { kind: 'unknown', text: 'deadline' };
let readiness: Readiness = 'ready';
let listed: PaymentRecord[] = [];
const bank = {
  ...createSimulatedBank(systemClock),
  findPayment: async () => answer,
  readiness: () => readiness,
  listPayments: async () => ({ payments: listed, next: null }),
  async sendPayment(): Promise<never> {
    throw new Error('nothing may be sent');
  },
};
const deps = createPayoutDeps(database, { provider_sandbox: bank });
const { calls } = deps;

async function count(table: 'payout_leases' | 'cases'): Promise<number> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rowCount } = await admin.query(`select from kelpie.${table} where payout_id = $1`, [payout.id]);
    return rowCount ?? 0;
  });
}

/** The states that a payout went through, and how often it was sent. */
async function progressOf(id: string): Promise<{ steps: string[]; attempts: number }> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ steps: string[]; attempts: number }>(
      `select (select array_agg(what order by number) from kelpie.payout_history where payout_id = p.id) as steps, attempts
       from kelpie.payouts p where id = $1`,
      [id],
    );
    assert(rows[0] !== undefined);
    return rows[0];
  });
}

/** A payout that was left by whoever sent it, with the lease of its sender. */
async function plantLeft(state: 'sending' | 'pending'): Promise<{ id: string; orderId: string }> {
  const planted = await plantPayout(database, partner, state);
  await releasePayoutLease(calls, { ...partner, id: planted.id }, systemClock.now());
  return planted;
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

test('an order that would not leave is not counted and not repeated, and its caller is answered', async () => {
  readiness = 'resting';
  const left = await plantLeft('sending');
  await resumeIn(1_000);
  assert.deepEqual(await progressOf(left.id), { steps: ['created', 'not_known'], attempts: 1 });
  await resumeIn(60_000);
  assert.deepEqual(await progressOf(left.id), { steps: ['created', 'not_known'], attempts: 1 });
  await releasePayoutLease(calls, { ...partner, id: left.id }, null);
});

test('what the bank has among its newest payments is recorded, and not sent again', async () => {
  readiness = 'ready';
  const left = await plantLeft('sending');
  listed = [
    {
      id: 't10',
      ourReference: left.orderId,
      pays: 100n,
      recipientId: null,
      state: 'accepted',
      bankState: 'payment_submitted',
      taken: 1_920_000n,
      refunded: null,
      failure: null,
      networkFee: null,
      returnFee: null,
      bankReference: null,
      createdAt: systemClock.now(),
      changedAt: null,
    },
  ];
  await resumeIn(1_000);
  assert.deepEqual(await progressOf(left.id), { steps: ['created', 'bank_accepted'], attempts: 1 });
});
