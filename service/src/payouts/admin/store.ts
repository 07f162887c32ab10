import type { Transaction } from '../../platform/database/transaction.ts';

/** A payout that has not finished. */
export interface StuckPayout {
  id: string;
  partner: string;
  environment: string;
  rail: string;
  state: string;
  attempts: number;
  bankState: string | null;
  amountPence: bigint;
  createdAt: Date;
  /** The next check. */
  dueAt: Date | null;
  /** Kinds of its open cases. */
  cases: string[];
}

interface StuckRow {
  id: string;
  slug: string;
  environment: string;
  rail: string;
  state: string;
  attempts: number;
  bank_state: string | null;
  amount_pence: string;
  created_at: Date;
  due_at: Date | null;
  cases: string[];
}

/** Those with open cases first, then the oldest. Runs as kelpie_reader. */
export async function listStuckPayouts(
  tx: Transaction,
  { olderThan, atMost }: { olderThan: Date; atMost: number },
): Promise<StuckPayout[]> {
  const { rows } = await tx.query<StuckRow>(
    `with found as (
       select o.payout_id as id from kelpie.payout_leases o
       union
       select c.payout_id from kelpie.cases c where c.closed_at is null
     )
     select p.id, partner.slug, p.environment::text, p.rail::text, p.state::text, p.attempts, p.bank_state, p.amount_pence,
       p.first_tried_at as created_at, o.due_at,
       array(
         select c.kind from kelpie.cases c where c.payout_id = p.id and c.closed_at is null order by c.kind
       ) as cases
     from found
     join kelpie.payouts p on p.id = found.id
     join kelpie.partners partner on partner.id = p.partner_id
     left join kelpie.payout_leases o on o.payout_id = p.id
     where p.first_tried_at < $1 and (
       p.state in ('sending', 'pending', 'processing')
       or exists (select from kelpie.cases c where c.payout_id = p.id and c.closed_at is null)
     )
     order by exists (select from kelpie.cases c where c.payout_id = p.id and c.closed_at is null) desc, p.first_tried_at
     limit $2`,
    [olderThan, atMost],
  );
  return rows.map((row) => ({
    id: row.id,
    partner: row.slug,
    environment: row.environment,
    rail: row.rail,
    state: row.state,
    attempts: row.attempts,
    bankState: row.bank_state,
    amountPence: BigInt(row.amount_pence),
    createdAt: row.created_at,
    dueAt: row.due_at,
    cases: row.cases,
  }));
}

/** Returns false if there is no such payout. The database refuses it unless this transaction has recorded the act. */
export async function makePayoutDue(tx: Transaction, payoutId: string, at: Date): Promise<boolean> {
  const { rows } = await tx.query<{ asked: boolean }>('select kelpie.operator_refresh_payout($1, $2) as asked', [
    payoutId,
    at,
  ]);
  return rows[0]?.asked ?? false;
}

/** What an idempotency key says of its order. */
export interface Claim {
  /** The attempt that it stands for. */
  payoutId: string;
  /** When the order was first tried; null for orders from before that was kept. */
  claimedAt: Date | null;
  /** The key is free for another body. */
  isFree: boolean;
}

/** Runs as kelpie_reader. Null if the order has no key. */
export async function findClaim(tx: Transaction, orderId: string): Promise<Claim | null> {
  const { rows } = await tx.query<{ payout_id: string; claimed_at: Date | null; is_free: boolean }>(
    `select payout_id, claimed_at, fingerprint = '' as is_free from kelpie.idempotency_keys where order_id = $1`,
    [orderId],
  );
  const [row] = rows;
  return row === undefined ? null : { payoutId: row.payout_id, claimedAt: row.claimed_at, isFree: row.is_free };
}
