import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { createPartners } from '../../../test/harness/partners.ts';
import { createPayoutDeps } from '../../../test/harness/payout-deps.ts';
import { plantPayout } from '../../../test/harness/planted-payout.ts';
import { createSimulatedBank, type PaymentPage, type PaymentRecord } from '../../banks/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { findLateReturns } from './find-late-returns.ts';
import { matchEvents } from './match-events.ts';
import { keepUnmatchedEvents } from '../records/webhook-event-store.ts';

const database = await createTestDatabase();
const [partner] = await createPartners(database, 1);
assert(partner !== undefined);
await asAdmin(database.superuserUrl, async (admin) =>
  admin.query(
    `update kelpie.partner_environments set rail = 'provider_sandbox', bank_customer_id = 'c1', bank_wallet_id = 'w1'`,
  ),
);
const { orderId } = await plantPayout(database, partner, 'completed');

function refunded(id: string, ourReference: string): PaymentRecord {
  return {
    id,
    ourReference,
    state: 'refunded',
    bankState: 'refunded',
    taken: 2n,
    refunded: 1n,
    failure: null,
    networkFee: null,
    returnFee: null,
    pays: null,
    recipientId: null,
    bankReference: null,
    createdAt: null,
    changedAt: null,
  };
}

/** Made by a person in the bank's own pages, under a name of theirs; and one of ours behind it. */
const payments = [refunded('by-hand', 'INVOICE 12'), refunded('t1', orderId)];
const asked: (Date | undefined)[] = [];
let list = async (_after: string | null, changedSince?: Date): Promise<PaymentPage | null> => {
  asked.push(changedSince);
  return { payments, next: null };
};
const bank = {
  ...createSimulatedBank(systemClock),
  listPayments: async (_customer: string, after: string | null, changedSince?: Date) => list(after, changedSince),
  findPayment: async (id: string) => {
    const payment = payments.find((one) => one.id === id);
    return payment === undefined ? ({ kind: 'absent' } as const) : ({ kind: 'found', payment } as const);
  },
};
const deps = createPayoutDeps(database, { provider_sandbox: bank });
const { calls } = deps;

test('a payment of a name that is not ours does not hide the late returns behind it', async () => {
  assert.equal(await findLateReturns(deps), 1);
});

const dayMs = 24 * 60 * 60_000;

test('a search goes on from the one before it, and a first one looks back a hundred days', async () => {
  await findLateReturns(deps);
  const [first, second] = asked.map((since) => (systemClock.now().getTime() - (since?.getTime() ?? 0)) / dayMs);
  assert(
    first !== undefined && Math.abs(first - 100) < 0.01 && second !== undefined && second < 0.1,
    `${first} ${second}`,
  );
});

test('a bank whose list never ends is read for a hundred days and no further', async () => {
  const usual = list;
  let pages = 0;
  list = async () => {
    pages += 1;
    const createdAt = new Date(systemClock.now().getTime() - pages * dayMs);
    return { payments: [{ ...refunded(`p${pages}`, 'INVOICE 13'), state: 'arrived', createdAt }], next: `p${pages}` };
  };
  await findLateReturns(deps);
  list = usual;
  assert.equal(pages, 101);
});

test('a search that is told to stop does so, and the next one begins where it did', async () => {
  const stopping = new AbortController();
  const usual = list;
  list = async () => {
    stopping.abort();
    return { payments, next: 'more' };
  };
  await assert.rejects(findLateReturns(deps, stopping.signal));
  list = async () => null;
  await findLateReturns(deps);
  list = usual;
  const before = await searchedUntil();
  assert.equal(await findLateReturns(deps), 1);
  assert((await searchedUntil()) > before);
});

test('a payment that is returned here as well is left alone', async () => {
  await asAdmin(database.superuserUrl, async (admin) => {
    await admin.query('set session_replication_role = replica');
    await admin.query(`update kelpie.payouts set state = 'returned'`);
  });
  assert.equal(await findLateReturns(deps), 0);
});

async function searchedUntil(): Promise<Date> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ at: Date }>(
      `select max(searched_until) as at from kelpie.late_return_searches where environment = 'sandbox'`,
    );
    assert(rows[0] !== undefined);
    return rows[0].at;
  });
}

async function kept(): Promise<string[]> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ id: string }>('select event_id as id from kelpie.unmatched_bank_events');
    return rows.map(({ id }) => id);
  });
}

test('a webhook of a payment of a name that is not ours does not hold up the others, and is given up in the end', async () => {
  const at = systemClock.now();
  for (const paymentId of ['by-hand', 't1']) {
    const event = { environment: 'sandbox', eventId: paymentId, paymentId, orderId: null } as const;
    await keepUnmatchedEvents(calls, [{ ...event, at }], 0);
  }
  await matchEvents(deps);
  assert.deepEqual(await kept(), ['by-hand']);
  for (let tries = 0; tries < 12; tries += 1) {
    await asAdmin(database.superuserUrl, async (admin) =>
      admin.query('update kelpie.unmatched_bank_events set due_at = now()'),
    );
    await matchEvents({ ...deps, clock: { now: () => new Date(systemClock.now().getTime() + 60_000) } });
  }
  assert.deepEqual(await kept(), []);
});
