import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';

interface ApiKeyRow {
  id: string;
  partner_id: string;
  environment: PartnerContext['environment'];
  key_prefix: string;
  secret_hmac: Buffer;
}

const findApiKeyCall: Call = { name: 'find_api_key', text: 'select * from kelpie.find_api_key($1)' };

/** Looked up by its digest: whoever does not have the pepper can't choose how that compares with others. */
export async function findApiKey(calls: SingleCalls, secretHmac: Buffer): Promise<ApiKeyRow | null> {
  const [row] = await calls.call<ApiKeyRow>(findApiKeyCall, [secretHmac]);
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
