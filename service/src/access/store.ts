import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import type { KeyScope } from './key-authority.ts';

/** A key as its secret finds it. */
export interface IdentifiedKeyRow {
  id: string;
  partner_id: string;
  environment: PartnerContext['environment'];
  /** The prefix and the digest of the secret that was used. */
  key_prefix: string;
  secret_hmac: Buffer;
  scope: KeyScope;
  networks: string[] | null;
  valid_until: Date | null;
}

const identifyApiKeyCall: Call = { name: 'identify_api_key', text: 'select * from kelpie.identify_api_key($1, $2)' };

/** Looked up by its digest: whoever does not have the pepper can't choose how that compares with others. It is marked as used. */
export async function identifyApiKey(
  calls: SingleCalls,
  secretHmac: Buffer,
  at: Date,
): Promise<IdentifiedKeyRow | null> {
  const [row] = await calls.call<IdentifiedKeyRow>(identifyApiKeyCall, [secretHmac, at]);
  return row ?? null;
}

interface NewApiKeyRow extends PartnerContext {
  id: string;
  prefix: string;
  label: string | null;
  secretHmac: Buffer;
  createdAt: Date;
}

export async function insertApiKey(tx: Transaction, key: NewApiKeyRow): Promise<void> {
  await tx.query(
    `insert into kelpie.api_keys (id, partner_id, environment, key_prefix, label, secret_hmac, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [key.id, key.partnerId, key.environment, key.prefix, key.label, key.secretHmac, key.createdAt],
  );
}

/** What a partner sees of its keys. */
export interface ListedKey {
  id: string;
  environment: PartnerContext['environment'];
  key_prefix: string;
  label: string | null;
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

const listApiKeysCall: Call = { name: 'list_api_keys', text: 'select * from kelpie.list_api_keys($1, $2, $3, $4)' };

/** Those that work, and those that were revoked after an instant, the newest first. */
export async function listApiKeys(
  calls: SingleCalls,
  of: PartnerContext,
  { revokedAfter, limit }: { revokedAfter: Date; limit: number },
): Promise<ListedKey[]> {
  return calls.call<ListedKey>(listApiKeysCall, [of.partnerId, of.environment, revokedAfter, limit]);
}

/**
 * Locks the partner, so that the keys of an environment are counted one after the other: the environment itself is not ours to lock. Null
 * where there is no such environment; the transaction must be of that environment.
 */
export async function lockEnvironment(
  tx: Transaction,
  of: PartnerContext,
): Promise<{ business: string; isVerified: boolean } | null> {
  const { rows } = await tx.query<{ name: string; verification_status: string }>(
    `select p.name, p.verification_status
     from kelpie.partner_environments e join kelpie.partners p on p.id = e.partner_id
     where e.partner_id = $1 and e.environment = $2 for no key update of p`,
    [of.partnerId, of.environment],
  );
  const [row] = rows;
  return row === undefined ? null : { business: row.name, isVerified: row.verification_status === 'approved' };
}

export async function countWorkingKeys(tx: Transaction, of: PartnerContext): Promise<number> {
  const { rows } = await tx.query<{ keys: number }>(
    `select count(*)::int as keys from kelpie.api_keys
     where partner_id = $1 and environment = $2 and revoked_at is null`,
    [of.partnerId, of.environment],
  );
  return rows[0]?.keys ?? 0;
}

interface FoundKey {
  environment: PartnerContext['environment'];
  prefix: string;
  label: string | null;
  business: string;
  is_revoked: boolean;
}

/** One of the partner's own keys, locked; null for any other. */
export async function lockApiKey(tx: Transaction, id: string): Promise<FoundKey | null> {
  const { rows } = await tx.query<FoundKey>(
    `select k.environment, k.key_prefix as prefix, k.label, p.name as business, k.revoked_at is not null as is_revoked
     from kelpie.api_keys k join kelpie.partners p on p.id = k.partner_id where k.id = $1 for no key update of k`,
    [id],
  );
  return rows[0] ?? null;
}

export async function revokeApiKeyRow(tx: Transaction, id: string, at: Date): Promise<void> {
  await tx.query('update kelpie.api_keys set revoked_at = $2 where id = $1', [id, at]);
}
