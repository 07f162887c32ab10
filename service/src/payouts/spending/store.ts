import type { Pence } from '../../money/amounts.ts';
import { bigOrNull } from '../../platform/database/big-or-null.ts';
import type { Call, SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import type { Day } from '../../platform/london-day.ts';

/** One payout of the largest amount always fits. The database holds the same. */
export const lowestLimit: Pence = 2_000_000n;
/** 100 million pounds. The database holds the same. */
export const mostLimit: Pence = 10_000_000_000n;

/** Null is no limit, which only a sandbox has. */
export interface SpendingLimits {
  daily: Pence | null;
  newPayee: Pence | null;
  /** How far an admin can raise both. An operator sets it. */
  highest: Pence | null;
}

interface LimitsRow {
  daily_pence: string | null;
  new_payee_pence: string | null;
  highest_daily_pence: string | null;
}

/** Runs as the service for its own partner, and as kelpie_reader for any. */
export async function readSpendingLimits(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
): Promise<SpendingLimits> {
  const { rows } = await tx.query<LimitsRow>(
    'select daily_pence, new_payee_pence, highest_daily_pence from kelpie.limits_of($1, $2)',
    [partnerId, environment],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no row');
  return {
    daily: bigOrNull(row.daily_pence),
    newPayee: bigOrNull(row.new_payee_pence),
    highest: bigOrNull(row.highest_daily_pence),
  };
}

/** What counts toward the day's limit of the whole environment. */
export async function readSpent(tx: Transaction, { partnerId, environment }: PartnerContext, day: Day): Promise<Pence> {
  const { rows } = await tx.query<{ spent_pence: string }>(
    `select spent_pence from kelpie.daily_spending
     where partner_id = $1 and environment = $2 and on_day = $3 and subject = ''`,
    [partnerId, environment, day],
  );
  return BigInt(rows[0]?.spent_pence ?? 0);
}

export interface KeySpending {
  id: string;
  prefix: string;
  /** Null where the key has no limit of its own. */
  limit: Pence | null;
  spent: Pence;
  /** Until when a lower limit holds, because the key is new; otherwise null. */
  fullLimitAt: Date | null;
}

interface KeyRow {
  id: string;
  key_prefix: string;
  limit_pence: string | null;
  spent_pence: string;
  full_limit_at: Date | null;
}

/** The keys that can pay, oldest first. There are five at most. */
export async function listKeySpending(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  { day, at }: { day: Day; at: Date },
): Promise<KeySpending[]> {
  const { rows } = await tx.query<KeyRow>(
    `select k.id, k.key_prefix, kelpie.key_limit_at(k.daily_limit_pence, k.full_limit_at, $4) as limit_pence,
       coalesce(s.spent_pence, 0) as spent_pence, case when k.full_limit_at > $4 then k.full_limit_at end as full_limit_at
     from kelpie.api_keys k
     left join kelpie.daily_spending s on s.partner_id = k.partner_id and s.environment = k.environment
       and s.on_day = $3 and s.subject = uuid_send(k.id)
     where k.partner_id = $1 and k.environment = $2 and k.revoked_at is null and k.scope = 'pay'
       and (k.expires_at is null or k.expires_at > $4)
     order by k.id limit 5`,
    [partnerId, environment, day, at],
  );
  return rows.map((row) => ({
    id: row.id,
    prefix: row.key_prefix,
    limit: bigOrNull(row.limit_pence),
    spent: BigInt(row.spent_pence),
    fullLimitAt: row.full_limit_at,
  }));
}

/** Undefined leaves a limit as it is. */
export interface LimitChanges {
  daily?: Pence | null;
  newPayee?: Pence | null;
}

/** Returns false, and changes nothing, where one would pass what an operator allows. Waits for payouts that are being created. */
export async function setSpendingLimits(tx: Transaction, { daily, newPayee }: LimitChanges): Promise<boolean> {
  const { rows } = await tx.query<{ is_set: boolean }>('select kelpie.set_spending_limits($1, $2, $3, $4) as is_set', [
    daily !== undefined,
    daily ?? null,
    newPayee !== undefined,
    newPayee ?? null,
  ]);
  return rows[0]?.is_set === true;
}

// Unusual volume

const unusualCall: Call = {
  name: 'list_unusual_volumes',
  text: 'select * from kelpie.list_unusual_volumes($1, $2, $3)',
};
const deleteCall: Call = {
  name: 'delete_old_spending',
  text: 'select kelpie.delete_old_spending($1) as count',
  writes: true,
};

export interface UnusualVolume extends PartnerContext {
  spent: Pence;
  /** The most of one of the 30 days before. */
  highest: Pence;
}

interface UnusualRow {
  partner_id: string;
  environment: PartnerContext['environment'];
  spent_pence: string;
  highest_pence: string;
}

export async function listUnusualVolumes(
  calls: SingleCalls,
  { day, afterPartner, atMost }: { day: Day; afterPartner: string; atMost: number },
): Promise<UnusualVolume[]> {
  const rows = await calls.call<UnusualRow>(unusualCall, [day, afterPartner, atMost]);
  return rows.map((row) => ({
    partnerId: row.partner_id,
    environment: row.environment,
    spent: BigInt(row.spent_pence),
    highest: BigInt(row.highest_pence),
  }));
}

/** Returns false where its admins were notified of that day already, or are being notified. */
export async function markVolumeNotified(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  { day, at }: { day: Day; at: Date },
): Promise<boolean> {
  const { rows } = await tx.query(
    `insert into kelpie.volume_alerts (partner_id, environment, on_day, notified_at) values ($1, $2, $3, $4)
     on conflict do nothing returning on_day`,
    [partnerId, environment, day, at],
  );
  return rows.length > 0;
}

export async function deleteOldSpending(calls: SingleCalls, beforeDay: Day): Promise<number> {
  const [row] = await calls.call<{ count: number }>(deleteCall, [beforeDay]);
  return row?.count ?? 0;
}

export async function readBusiness(tx: Transaction, { partnerId }: PartnerContext): Promise<string> {
  const { rows } = await tx.query<{ name: string }>('select name from kelpie.partners where id = $1', [partnerId]);
  if (rows[0] === undefined) throw new Error('a transaction of no partner');
  return rows[0].name;
}
