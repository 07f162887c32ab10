// API keys as operators see them, of any partner. Runs as kelpie_reader.
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import type { KeyScope } from '../key-authority.ts';

export interface AdminKey {
  id: string;
  partnerId: string;
  partner: string;
  environment: PartnerContext['environment'];
  prefix: string;
  label: string | null;
  scope: KeyScope;
  networks: string[];
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  dailyLimitPence: bigint | null;
  /** The secret before the last roll, while it works. */
  previousPrefix: string | null;
  previousExpiresAt: Date | null;
}

interface AdminKeyRow {
  id: string;
  partner_id: string;
  slug: string;
  environment: PartnerContext['environment'];
  key_prefix: string;
  label: string | null;
  scope: KeyScope;
  networks: string[] | null;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
  daily_limit_pence: string | null;
  previous_prefix: string | null;
  previous_expires_at: Date | null;
}

const selected = `
  select k.id, k.partner_id, p.slug, k.environment, k.key_prefix, k.label, k.scope, k.networks::text[], k.created_at,
    k.last_used_at, k.expires_at, k.revoked_at, k.daily_limit_pence, k.previous_prefix, k.previous_expires_at
  from kelpie.api_keys k join kelpie.partners p on p.id = k.partner_id`;

function adminKey(row: AdminKeyRow): AdminKey {
  return {
    id: row.id,
    partnerId: row.partner_id,
    partner: row.slug,
    environment: row.environment,
    prefix: row.key_prefix,
    label: row.label,
    scope: row.scope,
    networks: row.networks ?? [],
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    dailyLimitPence: row.daily_limit_pence === null ? null : BigInt(row.daily_limit_pence),
    previousPrefix: row.previous_prefix,
    previousExpiresAt: row.previous_expires_at,
  };
}

/** Keys that work come first, then the newest: hundreds of revoked ones must not hide one that can pay. */
export async function listAdminKeys(
  tx: Transaction,
  { partnerId, atMost }: { partnerId: string; atMost: number },
): Promise<AdminKey[]> {
  const { rows } = await tx.query<AdminKeyRow>(
    `${selected} where k.partner_id = $1
     order by coalesce(least(k.revoked_at, k.expires_at), 'infinity') desc, k.id desc limit $2`,
    [partnerId, atMost],
  );
  return rows.map(adminKey);
}

export async function findAdminKey(tx: Transaction, id: string): Promise<AdminKey | null> {
  const { rows } = await tx.query<AdminKeyRow>(`${selected} where k.id = $1`, [id]);
  return rows[0] === undefined ? null : adminKey(rows[0]);
}
