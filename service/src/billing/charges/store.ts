import type { Pence } from '../../money/amounts.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

/** The prices of a plan that are not of payouts. */
export interface OtherPrices {
  monthly: Pence;
  verification: Pence;
  exceptionBasisPoints: bigint;
}

interface PricesRow {
  monthly_pence: string;
  verification_pence: string;
  exception_markup_basis_points: string;
}

/** By the plan that the transaction's environment had at an instant. */
export async function getPricesAt(tx: Transaction, instant: Date): Promise<OtherPrices> {
  const { rows } = await tx.query<PricesRow>(
    `select monthly_pence, verification_pence, exception_markup_basis_points
     from kelpie.price_plans where id = kelpie.price_plan_at($1)`,
    [instant],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a partner without a price plan');
  return {
    monthly: BigInt(row.monthly_pence),
    verification: BigInt(row.verification_pence),
    exceptionBasisPoints: BigInt(row.exception_markup_basis_points),
  };
}

export interface SingleCharge {
  partnerId: string;
  kind: 'monthly_account' | 'business_verification' | 'bank_exceptions';
  /** What makes it that one. */
  occasion: string;
  transferId: string;
  at: Date;
  by: string;
}

/** Says false, and notes nothing, where it was charged before. */
export async function recordCharge(tx: Transaction, charge: SingleCharge): Promise<boolean> {
  const { rows } = await tx.query(
    `insert into kelpie.single_charges (partner_id, kind, occasion, transfer_id, at, by)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning 1`,
    [charge.partnerId, charge.kind, charge.occasion, charge.transferId, charge.at, charge.by],
  );
  return rows.length === 1;
}

/** What the transaction was about before, so that it can be again. */
export async function enterLive(tx: Transaction, partnerId: string): Promise<string> {
  const { rows } = await tx.query<{ before: string }>(
    `with said as materialized (select current_setting('kelpie.environment', true) as before)
     select before, kelpie.set_partner_context($1, 'live') from said`,
    [partnerId],
  );
  return rows[0]?.before ?? 'live';
}

export async function enterAgain(tx: Transaction, partnerId: string, environment: string): Promise<void> {
  await tx.query('select kelpie.set_partner_context($1, $2::kelpie.environment)', [partnerId, environment]);
}
