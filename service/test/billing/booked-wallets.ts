import { randomBytes } from 'node:crypto';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { ledgerEvents, postTransfers, type Line } from '../../src/ledger/index.ts';
import type { Pool } from '../../src/platform/database/pool.ts';
import { inTransaction, type PartnerContext } from '../../src/platform/database/transaction.ts';
import { idFor } from '../../src/platform/ids.ts';
import type { TestDatabase } from '../harness/database.ts';

/** The tables' months from one on: a test's past and future are not always the database's. */
export async function makeMonths(
  database: Pick<TestDatabase, 'superuserUrl'>,
  { from, months }: { from: string; months: number },
): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `select kelpie.make_month_partition(missing.parent_name, missing.month_start)
       from kelpie.missing_month_partitions($1, $2) missing`,
      [from, months],
    ),
  );
}

export interface Booking {
  at: Date;
  /** In micro-USDC; below zero for what leaves the wallet. */
  change: bigint;
  /** What the ledger says of it, and what it was for; without them, a deposit or a hold of nothing that is known. */
  reason?: string;
  causeId?: string;
}

function linesOf(change: bigint, reason = ''): Line[] {
  if (change < 0n) return ledgerEvents.hold({ principal: -change, providerFee: 0n });
  return reason.startsWith('payout.') ? ledgerEvents.released({ held: change }) : ledgerEvents.deposit(change);
}

/** Books movements in the order in which they are given, whatever their instants say. */
export async function book(pool: Pool, owner: PartnerContext, bookings: readonly Booking[]): Promise<void> {
  const transfers = bookings.map(({ at, change, reason, causeId }) => {
    const id = idFor(at, randomBytes(16));
    const isDeposit = change > 0n;
    return {
      ...owner,
      id,
      causeId: causeId ?? id,
      reason: reason ?? (isDeposit ? 'deposit.credited' : 'payout.hold'),
      lines: linesOf(change, reason),
    };
  });
  const outcomes = await inTransaction(pool, owner, async (tx) => postTransfers(tx, transfers));
  if (outcomes.some(({ kind }) => kind !== 'posted')) throw new Error('a booking that its wallet does not cover');
}
