import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../test/harness/database.ts';
import { createPartners } from '../../test/harness/partners.ts';
import { systemClock } from '../platform/clock.ts';
import { openPool } from '../platform/database/pool.ts';
import { inTransaction, type PartnerContext } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import { createLogger } from '../platform/logging.ts';
import * as events from './events.ts';
import { everything, postTransfers, verifyLedger, type Line } from './index.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
const readerPool = openPool({ url: database.readerUrl, connections: 1, applicationName: 'test', logger });
after(async () => {
  await pool.end();
  await readerPool.end();
});

async function post(owner: PartnerContext, causeId: string, { reason, lines }: Step): Promise<void> {
  const id = newId(systemClock);
  const [outcome] = await inTransaction(pool, owner, async (tx) =>
    postTransfers(tx, [{ id, ...owner, reason, causeId, lines }]),
  );
  assert.deepEqual(outcome, { kind: 'posted' });
}

/** The balance of every account that moved; a debit is positive. */
async function balancesOf({ partnerId }: PartnerContext): Promise<Record<string, bigint>> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ account: string; balance: string }>(
      `select account, sum(amount) as balance from kelpie.ledger_entries where partner_id = $1 group by 1 having sum(amount) <> 0`,
      [partnerId],
    );
    return Object.fromEntries(rows.map((row) => [row.account, BigInt(row.balance)]));
  });
}

/** What we have equals what we owe, give or take the house's own; and the same for pounds. */
function assertAlways(balances: Record<string, bigint>): void {
  const of = (account: string): bigint => balances[account] ?? 0n;
  const owed = -of('wallet') - of('held');
  const had = of('bank_wallet') + of('in_transit') + of('partner_receivable');
  const house = of('fx') + of('suspense') + of('exception_loss') + of('house_float') + of('float_in_transit');
  assert.equal(owed, had + house, 'USDC');
  assert.equal(of('receivable') + of('revenue') + of('credit_due'), 0n, 'GBP');
}

interface Step {
  reason: string;
  lines: Line[];
  balances: Record<string, bigint>;
}

/** Each history is one row of the table in docs/ledger.md, with what led up to it. W = 108.00, B = 107.50 or 108.20 USDC. */
const W = 108_000_000n;
const held = { held: W };
const funded: Step = {
  reason: 'deposit.credited',
  lines: events.deposit(500_000_000n),
  balances: { bank_wallet: 500_000_000n, wallet: -500_000_000n },
};
const onHold: Step = {
  reason: 'payout.hold',
  lines: events.hold({ principal: 107_000_000n, providerFee: 1_000_000n }),
  balances: { bank_wallet: 500_000_000n, wallet: -392_000_000n, held: -108_000_000n },
};
function takenBy(byBank: bigint): Step {
  return {
    reason: 'payout.bank_accepted',
    lines: events.taken({ byBank }),
    balances: { bank_wallet: 500_000_000n - byBank, in_transit: byBank, wallet: -392_000_000n, held: -108_000_000n },
  };
}

const arrivedExactly: Step = {
  reason: 'payout.arrived',
  lines: events.arrived({ ...held, byBank: W }),
  balances: { bank_wallet: 392_000_000n, wallet: -392_000_000n },
};

const topUp = { kind: 'top_up', amount: 9n } as const;
const sweep = { kind: 'sweep', amount: 9n } as const;

const histories: Record<string, Step[]> = {
  'completed, the bank took less': [
    funded,
    onHold,
    takenBy(107_500_000n),
    {
      reason: 'payout.arrived',
      lines: events.arrived({ ...held, byBank: 107_500_000n }),
      balances: { bank_wallet: 392_500_000n, wallet: -392_000_000n, fx: -500_000n },
    },
  ],
  'completed, the bank took more': [
    funded,
    onHold,
    takenBy(108_200_000n),
    {
      reason: 'payout.arrived',
      lines: events.arrived({ ...held, byBank: 108_200_000n }),
      balances: { bank_wallet: 391_800_000n, wallet: -392_000_000n, fx: 200_000n },
    },
  ],
  'completed at the exact rate, live, and its fee dropped before and after its invoice': [
    funded,
    onHold,
    takenBy(W),
    arrivedExactly,
    {
      reason: 'charge.payout_fees',
      lines: events.feeEarned({ invoiceShare: 99n }),
      balances: { bank_wallet: 392_000_000n, wallet: -392_000_000n, receivable: 99n, revenue: -99n },
    },
    {
      reason: 'charge.payout_fees',
      lines: events.feeDropped({ invoiceShare: 50n, invoiced: false }),
      balances: { bank_wallet: 392_000_000n, wallet: -392_000_000n, receivable: 49n, revenue: -49n },
    },
    {
      reason: 'credit.payout_fees',
      lines: events.feeDropped({ invoiceShare: 49n, invoiced: true }),
      balances: { bank_wallet: 392_000_000n, wallet: -392_000_000n, receivable: 49n, credit_due: -49n },
    },
  ],
  'never taken by the bank': [
    funded,
    onHold,
    {
      reason: 'payout.not_created',
      lines: events.released(held),
      balances: { bank_wallet: 500_000_000n, wallet: -500_000_000n },
    },
  ],
  'failed after it was taken, refunded in part': [
    funded,
    onHold,
    takenBy(107_500_000n),
    {
      reason: 'payout.refunded',
      lines: events.refundedAfterFailure({ ...held, byBank: 107_500_000n, refund: 107_000_000n }),
      balances: { bank_wallet: 499_500_000n, wallet: -500_000_000n, exception_loss: 500_000n },
    },
  ],
  'returned before it was completed': [
    funded,
    onHold,
    takenBy(107_500_000n),
    {
      reason: 'payout.returned',
      lines: events.returnedBeforeArrival({ ...held, byBank: 107_500_000n, refund: 107_000_000n, to: 'wallet' }),
      balances: { bank_wallet: 499_500_000n, wallet: -499_000_000n, fx: -500_000n },
    },
  ],
  'returned after it was completed': [
    funded,
    onHold,
    takenBy(W),
    arrivedExactly,
    {
      reason: 'payout.returned',
      lines: events.returnedAfterArrival({ refund: 107_000_000n, to: 'wallet' }),
      balances: { bank_wallet: 499_000_000n, wallet: -499_000_000n },
    },
  ],
  'returned before it was completed, an amount that is in question': [
    funded,
    onHold,
    takenBy(107_500_000n),
    {
      reason: 'payout.returned',
      lines: events.returnedBeforeArrival({ ...held, byBank: 107_500_000n, refund: 1_000_000n, to: 'suspense' }),
      balances: { bank_wallet: 393_500_000n, wallet: -392_000_000n, suspense: -1_000_000n, fx: -500_000n },
    },
  ],
  'returned after it was completed, an amount that is in question': [
    funded,
    onHold,
    takenBy(W),
    arrivedExactly,
    {
      reason: 'payout.returned',
      lines: events.returnedAfterArrival({ refund: 300_000_000n, to: 'suspense' }),
      balances: { bank_wallet: 692_000_000n, wallet: -392_000_000n, suspense: -300_000_000n },
    },
  ],
  'failed after it was taken, and more came back': [
    funded,
    onHold,
    takenBy(107_500_000n),
    {
      reason: 'payout.refunded',
      lines: events.refundedAfterFailure({ ...held, byBank: 107_500_000n, refund: 300_000_000n }),
      balances: { bank_wallet: 692_500_000n, wallet: -500_000_000n, suspense: -192_500_000n },
    },
  ],
  'a sandbox that leaves the simulated rail while a payout is under way': [
    funded,
    onHold,
    takenBy(W),
    {
      reason: 'sandbox.closed',
      lines: events.sandboxClosed(392_000_000n),
      balances: { in_transit: W, held: -W },
    },
    {
      reason: 'sandbox.float',
      lines: events.deposit(500_000_000n),
      balances: { bank_wallet: 500_000_000n, wallet: -500_000_000n, in_transit: W, held: -W },
    },
    {
      reason: 'payout.arrived',
      lines: events.arrived({ ...held, byBank: W }),
      balances: { bank_wallet: 500_000_000n, wallet: -500_000_000n },
    },
  ],
  'a deposit reversed that the wallet still holds': [
    funded,
    {
      reason: 'deposit.reversed',
      lines: events.depositReversed({ amount: 100_000_000n, walletHolds: 500_000_000n }),
      balances: { bank_wallet: 400_000_000n, wallet: -400_000_000n },
    },
  ],
  'a deposit reversed that was spent in part': [
    funded,
    onHold,
    {
      reason: 'deposit.reversed',
      lines: events.depositReversed({ amount: 500_000_000n, walletHolds: 392_000_000n }),
      balances: { partner_receivable: 108_000_000n, held: -108_000_000n },
    },
    {
      reason: 'payout.released',
      lines: events.released(held),
      balances: {},
    },
  ],
  'a top-up from the house float that failed, one that arrived, and a sweep': [
    { reason: 'float.top_up', lines: events.floatBegun(topUp), balances: { float_in_transit: 9n, house_float: -9n } },
    { reason: 'float.failed', lines: events.floatFailed(topUp), balances: {} },
    { reason: 'float.top_up', lines: events.floatBegun(topUp), balances: { float_in_transit: 9n, house_float: -9n } },
    { reason: 'float.arrived', lines: events.floatArrived(topUp), balances: { bank_wallet: 9n, house_float: -9n } },
    { reason: 'float.sweep', lines: events.floatBegun(sweep), balances: { float_in_transit: 9n, house_float: -9n } },
    { reason: 'float.failed', lines: events.floatFailed(sweep), balances: { bank_wallet: 9n, house_float: -9n } },
    { reason: 'float.sweep', lines: events.floatBegun(sweep), balances: { float_in_transit: 9n, house_float: -9n } },
    { reason: 'float.arrived', lines: events.floatArrived(sweep), balances: {} },
  ],
  'a correction by an operator, up and down': [
    { reason: 'correction', lines: events.bankDifferenceFound(7n), balances: { bank_wallet: 7n, suspense: -7n } },
    { reason: 'correction', lines: events.suspenseResolved(7n), balances: { bank_wallet: 7n, wallet: -7n } },
    { reason: 'correction', lines: events.suspenseResolved(-7n), balances: { bank_wallet: 7n, suspense: -7n } },
    { reason: 'correction', lines: events.bankDifferenceFound(-7n), balances: {} },
  ],
};

for (const [name, steps] of Object.entries(histories)) {
  test(`${name}: each step leaves the accounts as the table says, and what we have is what we owe`, async () => {
    const isTestMoney = steps.some(({ reason }) => reason.startsWith('sandbox.'));
    const [owner] = await createPartners(database, 1, isTestMoney ? 'sandbox' : 'live');
    assert(owner !== undefined);
    const causeId = newId(systemClock);
    for (const step of steps) {
      await post(owner, causeId, step);
      const found = await balancesOf(owner);
      assert.deepEqual(found, step.balances, step.reason);
      assertAlways(found);
    }
  });
}

test('after all of it, the ledger verifies', async () => {
  const { differences, entries } = await inTransaction(readerPool, 'shared', async (tx) =>
    verifyLedger(tx, everything),
  );
  assert.deepEqual(differences, []);
  assert(entries > 50);
});
