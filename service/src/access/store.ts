import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import type { KeyAuthority, KeyScope } from './key-authority.ts';
import { changeKey, sealKey, type DecidingKey } from './sealed-rows.ts';

/** A key as its secret finds it. */
export interface IdentifiedKeyRow extends DecidingKey {
  environment: PartnerContext['environment'];
  /** The prefix and the digest of the secret that was used. */
  used_prefix: string;
  used_hmac: Buffer;
  scope: KeyScope;
  valid_until: Date | null;
  mac: Buffer | null;
}

const identifyApiKeyCall: Call = { name: 'identify_api_key', text: 'select * from kelpie.identify_api_key($1, $2)' };

/** Looked up by its digest: whoever does not have the pepper can't choose how that compares with others. */
export async function identifyApiKey(
  calls: SingleCalls,
  secretHmac: Buffer,
  at: Date,
): Promise<IdentifiedKeyRow | null> {
  const [row] = await calls.call<IdentifiedKeyRow>(identifyApiKeyCall, [secretHmac, at]);
  return row ?? null;
}

const recordUsesCall: Call = { name: 'record_uses', text: 'select from kelpie.record_uses($1, $2, $3, $4)' };

type Use = readonly [id: string, at: Date];

/** When keys and sessions were last used. An earlier use than the one on record changes nothing. */
export async function recordUses(
  calls: SingleCalls,
  { keys, sessions }: { keys: readonly Use[]; sessions: readonly Use[] },
): Promise<void> {
  await calls.call(recordUsesCall, [
    keys.map(([id]) => id),
    keys.map(([, at]) => at),
    sessions.map(([id]) => id),
    sessions.map(([, at]) => at),
  ]);
}

export interface Redigest {
  before: Buffer;
  after: Buffer;
  /** Of the row that has the digest: as it is, and as it is with the other digest. */
  macBefore: Buffer | null;
  macAfter: Buffer;
}

const redigestSecretsCall: Call = {
  name: 'redigest_secrets',
  text: 'select from kelpie.redigest_secrets($1, $2, $3, $4, $5)',
};

/** Secrets of keys and sessions that were recognised under an earlier pepper: the newest one's digests take the place of theirs. */
export async function redigestSecrets(
  calls: SingleCalls,
  digests: readonly Redigest[],
  pepperVersion: number,
): Promise<void> {
  await calls.call(redigestSecretsCall, [
    digests.map(({ before }) => before),
    digests.map(({ after }) => after),
    digests.map(({ macBefore }) => macBefore),
    digests.map(({ macAfter }) => macAfter),
    pepperVersion,
  ]);
}

interface NewApiKeyRow extends PartnerContext, KeyAuthority {
  id: string;
  prefix: string;
  label: string | null;
  secretHmac: Buffer;
  pepperVersion: number;
  createdAt: Date;
  fullLimitAt: Date | null;
  createdBy: string | null;
}

/** Returns the networks as the database writes them. */
export async function insertApiKey(tx: Transaction, key: NewApiKeyRow): Promise<string[]> {
  const { rows } = await tx.query<{ networks: string[] }>(
    `insert into kelpie.api_keys (
       id, partner_id, environment, key_prefix, label, secret_hmac, created_at, scope, networks, expires_at,
       daily_limit_pence, full_limit_at, pepper_version, created_by
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9::cidr[], '{}'), $10, $11, $12, $13, $14)
     returning coalesce(networks::text[], '{}') as networks`,
    [
      key.id,
      key.partnerId,
      key.environment,
      key.prefix,
      key.label,
      key.secretHmac,
      key.createdAt,
      key.scope,
      key.networks,
      key.expiresAt,
      key.dailyLimit,
      key.fullLimitAt,
      key.pepperVersion,
      key.createdBy,
    ],
  );
  await sealKey(tx, key.id);
  await addKeyEvent(tx, { type: 'key.created', id: key.id, version: 1, at: key.createdAt });
  return rows[0]?.networks ?? [];
}

interface KeyEvent {
  type: 'key.created' | 'key.revoked';
  id: string;
  version: number;
  at: Date;
}

/** With the key as it is now. */
async function addKeyEvent(tx: Transaction, { type, id, version, at }: KeyEvent): Promise<void> {
  await tx.query(
    `select kelpie.add_event($1, k.environment, k.id, $2, $3, kelpie.key_snapshot(k, $3))
     from kelpie.api_keys k where k.id = $4`,
    [type, version, at, id],
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
  scope: KeyScope;
  networks: string[] | null;
  expires_at: Date | null;
  daily_limit_pence: string | null;
  full_limit_at: Date | null;
  previous_prefix: string | null;
  previous_expires_at: Date | null;
}

const showApiKeysCall: Call = { name: 'show_api_keys', text: 'select * from kelpie.show_api_keys($1, $2, $3, $4)' };

/** Those that work, and those that were revoked or expired after an instant, the newest first. */
export async function listApiKeys(
  calls: SingleCalls,
  of: PartnerContext,
  { endedAfter, limit }: { endedAfter: Date; limit: number },
): Promise<ListedKey[]> {
  return calls.call<ListedKey>(showApiKeysCall, [of.partnerId, of.environment, endedAfter, limit]);
}

/**
 * Locks the partner, so that the keys of an environment are counted one after the other: the environment itself is not ours to lock. Null
 * where there is no such environment; the transaction must be of that environment.
 */
export async function lockEnvironment(
  tx: Transaction,
  of: PartnerContext,
): Promise<{ business: string; status: string; isVerified: boolean } | null> {
  const { rows } = await tx.query<{ name: string; status: string; verification_status: string }>(
    `select p.name, p.status, p.verification_status
     from kelpie.partner_environments e join kelpie.partners p on p.id = e.partner_id
     where e.partner_id = $1 and e.environment = $2 for no key update of p`,
    [of.partnerId, of.environment],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { name: business, status, verification_status: verification } = row;
  return { business, status, isVerified: verification === 'approved' };
}

/** Keys that work, and whether there was ever one that pays: a key that was revoked, or has expired, counts for that too. */
export async function countKeys(
  tx: Transaction,
  of: PartnerContext,
  at: Date,
): Promise<{ working: number; everPaying: number }> {
  const { rows } = await tx.query<{ working: number; ever_paying: number }>(
    `select count(*) filter (where revoked_at is null and (expires_at is null or expires_at > $3))::int as working,
       count(*) filter (where scope = 'pay')::int as ever_paying
     from kelpie.api_keys where partner_id = $1 and environment = $2`,
    [of.partnerId, of.environment, at],
  );
  return { working: rows[0]?.working ?? 0, everPaying: rows[0]?.ever_paying ?? 0 };
}

/** A key that is about to be changed. */
export interface LockedKey extends KeyAuthority {
  environment: PartnerContext['environment'];
  prefix: string;
  label: string | null;
  business: string;
  /** Of the partner. */
  partnerStatus: string;
  createdAt: Date;
  isRevoked: boolean;
  fullLimitAt: Date | null;
}

type LockedKeyRow = Omit<ListedKey, 'id' | 'last_used_at' | 'previous_prefix' | 'previous_expires_at'> & {
  business: string;
  partner_status: string;
};

/** One of the partner's own keys, locked; null for any other. */
export async function lockApiKey(tx: Transaction, id: string): Promise<LockedKey | null> {
  const { rows } = await tx.query<LockedKeyRow>(
    `select k.environment, k.key_prefix, k.label, p.name as business, p.status as partner_status,
       k.created_at, k.revoked_at, k.scope,
       k.networks::text[], k.expires_at, k.daily_limit_pence, k.full_limit_at
     from kelpie.api_keys k join kelpie.partners p on p.id = k.partner_id where k.id = $1 for no key update of k`,
    [id],
  );
  const [row] = rows;
  return row === undefined ? null : lockedKey(row);
}

function lockedKey({ environment, label, business, scope, ...row }: LockedKeyRow): LockedKey {
  return {
    environment,
    prefix: row.key_prefix,
    label,
    business,
    partnerStatus: row.partner_status,
    createdAt: row.created_at,
    isRevoked: row.revoked_at !== null,
    scope,
    networks: row.networks ?? [],
    expiresAt: row.expires_at,
    dailyLimit: row.daily_limit_pence === null ? null : BigInt(row.daily_limit_pence),
    fullLimitAt: row.full_limit_at,
  };
}

/** The admin who created a key; null where that was not kept. */
export async function findKeyCreator(tx: Transaction, id: string): Promise<string | null> {
  const { rows } = await tx.query<{ created_by: string | null }>(
    'select created_by from kelpie.api_keys where id = $1',
    [id],
  );
  return rows[0]?.created_by ?? null;
}

export type LiftedLimit = 'lifted' | 'own' | 'not_found' | 'not_admin';

/** Ends the low limit of a new key, if another admin than its creator does. The database decides. */
export async function liftLimit(
  tx: Transaction,
  { keyId, sessionId }: { keyId: string; sessionId: string },
  at: Date,
): Promise<LiftedLimit> {
  const { rows } = await changeKey(tx, keyId, async () =>
    tx.query<{ outcome: LiftedLimit }>('select kelpie.lift_key_limit($1, $2, $3) as outcome', [keyId, sessionId, at]),
  );
  if (rows[0] === undefined) throw new Error('the database returned no row');
  return rows[0].outcome;
}

export async function revokeApiKeyRow(tx: Transaction, id: string, at: Date): Promise<void> {
  // Without its MAC it can't be brought back.
  await tx.query('update kelpie.api_keys set revoked_at = $2, mac = null where id = $1', [id, at]);
  await addKeyEvent(tx, { type: 'key.revoked', id, version: 2, at });
}

interface NewSecretRow {
  id: string;
  prefix: string;
  secretHmac: Buffer;
  pepperVersion: number;
  /** Until when the secret that it replaces works; null for no longer. */
  previousExpiresAt: Date | null;
}

/** The secret before the replaced one stops working: a key has two at most. */
export async function replaceSecret(tx: Transaction, key: NewSecretRow): Promise<void> {
  await changeKey(tx, key.id, async () =>
    tx.query(
      `update kelpie.api_keys set key_prefix = $2, secret_hmac = $3, pepper_version = $5, previous_expires_at = $4,
         previous_prefix = case when $4::timestamptz is not null then key_prefix end,
         previous_secret_hmac = case when $4::timestamptz is not null then secret_hmac end
       where id = $1`,
      [key.id, key.prefix, key.secretHmac, key.previousExpiresAt, key.pepperVersion],
    ),
  );
}

export interface ExpiringKey {
  id: string;
  partner_id: string;
  environment: PartnerContext['environment'];
}

const listExpiringKeysCall: Call = {
  name: 'list_expiring_keys',
  text: 'select * from kelpie.list_expiring_keys($1, $2)',
};

/** Of all partners: those whose admins are still to be emailed about it. */
export async function listExpiringKeys(calls: SingleCalls, at: Date, limit: number): Promise<ExpiringKey[]> {
  return calls.call<ExpiringKey>(listExpiringKeysCall, [at, limit]);
}

/** Returns false where it was done before. */
export async function markExpiryNotified(tx: Transaction, id: string, at: Date): Promise<boolean> {
  const { rows } = await tx.query(
    'update kelpie.api_keys set expiry_notified_at = $2 where id = $1 and expiry_notified_at is null returning id',
    [id, at],
  );
  return rows.length === 1;
}
