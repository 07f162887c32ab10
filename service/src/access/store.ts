import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';

interface ApiKeyRow {
  id: string;
  partner_id: string;
  environment: PartnerContext['environment'];
  key_prefix: string;
  secret_hmac: Buffer;
}

const findApiKeyCall: Call = { name: 'find_api_key', text: 'select * from kelpie.find_api_key($1, $2)' };

/** Looked up by its digest: whoever does not have the pepper can't choose how that compares with others. It is marked as used. */
export async function findApiKey(calls: SingleCalls, secretHmac: Buffer, at: Date): Promise<ApiKeyRow | null> {
  const [row] = await calls.call<ApiKeyRow>(findApiKeyCall, [secretHmac, at]);
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
