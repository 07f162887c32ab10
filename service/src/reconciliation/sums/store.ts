import type { MicroUsdc } from '../../money/amounts.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import { firstIdAt, lastId, nilId } from '../../platform/ids.ts';

/** What was posted before an instant sums to. */
export interface KeptSum {
  until: Date;
  amount: MicroUsdc;
}

/**
 * Null where there is none, or the database was restored since it was written: then it is summed anew. So it is where it ends before
 * a month that has left the database does: of that, there are only sums.
 */
export async function findKeptSum(tx: Transaction): Promise<KeptSum | null> {
  const { rows } = await tx.query<{ sum_until: Date; micro_usdc: string }>(
    `select sum_until, micro_usdc from kelpie.bank_wallet_sums
     where summed_at > coalesce((select max(began_at) from kelpie.recoveries), '-infinity')
       and sum_until at time zone 'utc' >= coalesce(
         (select max(month) + interval '1 month' from kelpie.archived_months where left_at is not null), '-infinity'
       )`,
  );
  const [row] = rows;
  return row === undefined ? null : { until: row.sum_until, amount: BigInt(row.micro_usdc) };
}

/** The months that have left the database, by their files. */
export async function nameLeftMonths(tx: Transaction): Promise<string> {
  const { rows } = await tx.query<{ names: string }>(
    `select coalesce(string_agg(name, ' ' order by month), '') as names from kelpie.archived_months where left_at is not null`,
  );
  return rows[0]?.names ?? '';
}

export async function keepSum(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  { until, amount }: KeptSum,
  at: Date,
): Promise<void> {
  await tx.query(
    `insert into kelpie.bank_wallet_sums (partner_id, environment, sum_until, micro_usdc, summed_at)
     values ($1, $2, $3, $4, $5)
     on conflict (partner_id, environment) do update
     set sum_until = excluded.sum_until, micro_usdc = excluded.micro_usdc, summed_at = excluded.summed_at`,
    [partnerId, environment, until, amount, at],
  );
}

/** Entries by when they were posted and by when their cause was made; null for no end. */
export interface Slice {
  posted: { from: Date | null; before: Date | null };
  causes: { from: Date | null; before: Date | null };
}

/** What a slice sums to, and the part of it that belongs to causes which the bank's own lines stand for. */
export interface SliceSum {
  total: MicroUsdc;
  replaced: MicroUsdc;
}

interface SumRow {
  total: string;
  replaced: string;
}

function sumFrom(row: SumRow | undefined): SliceSum {
  return { total: BigInt(row?.total ?? 0), replaced: BigInt(row?.replaced ?? 0) };
}

function idOf(instant: Date | null, otherwise: string): string {
  return instant === null ? otherwise : firstIdAt(instant);
}

/** Of the index alone, and of what archived months carried over. */
export async function sumSlice(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  { posted, causes }: Slice,
  replaced: readonly string[],
): Promise<SliceSum> {
  const { rows } = await tx.query<SumRow>(
    `select coalesce(sum(l.amount), 0) as total,
       coalesce(sum(l.amount) filter (where l.cause_id = any ($7::uuid[])), 0) as replaced
     from kelpie.booked_entries l
     where l.account = 'bank_wallet' and l.partner_id = $1 and l.environment = $2
       and l.transfer_id >= $3 and l.transfer_id < $4 and l.cause_id >= $5 and l.cause_id < $6`,
    [
      partnerId,
      environment,
      idOf(posted.from, nilId),
      idOf(posted.before, lastId),
      idOf(causes.from, nilId),
      idOf(causes.before, lastId),
      replaced,
    ],
  );
  return sumFrom(rows[0]);
}

/** Of the newest causes: every payout among them is replaced. */
export async function sumNewest(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  causesFrom: Date,
  replaced: readonly string[],
): Promise<SliceSum> {
  const { rows } = await tx.query<SumRow>(
    `select coalesce(sum(l.amount), 0) as total,
       coalesce(sum(l.amount) filter (where l.reason like 'payout.%' or l.cause_id = any ($4::uuid[])), 0) as replaced
     from kelpie.ledger_entries l
     where l.account = 'bank_wallet' and l.partner_id = $1 and l.environment = $2 and l.cause_id >= $3`,
    [partnerId, environment, firstIdAt(causesFrom), replaced],
  );
  return sumFrom(rows[0]);
}

/** What was posted for these before an instant. */
export async function sumOfCauses(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  { causes, before }: { causes: readonly string[]; before: Date },
): Promise<MicroUsdc> {
  const { rows } = await tx.query<{ sum: string }>(
    `select coalesce(sum(l.amount), 0) as sum from kelpie.ledger_entries l
     where l.account = 'bank_wallet' and l.partner_id = $1 and l.environment = $2 and l.transfer_id < $3
       and l.cause_id = any ($4::uuid[])`,
    [partnerId, environment, firstIdAt(before), causes],
  );
  return BigInt(rows[0]?.sum ?? 0);
}
