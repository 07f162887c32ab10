import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { RowTampered, type Deciding, type NamedRow, type RowMacs } from '../platform/row-mac.ts';

/** All of a key that decides what it may do. */
export interface DecidingKey {
  id: string;
  partner_id: string;
  environment: string;
  key_prefix: string;
  secret_hmac: Buffer;
  previous_prefix: string | null;
  previous_secret_hmac: Buffer | null;
  previous_expires_at: Date | null;
  scope: string;
  networks: string[] | null;
  expires_at: Date | null;
  daily_limit_pence: string | null;
  full_limit_at: Date | null;
}

export interface DecidingMember {
  partner_id: string;
  email: string;
  role: string;
}

export interface DecidingSession {
  id: string;
  partner_id: string;
  email: string;
  token_hmac: Buffer;
  created_at: Date;
}

/** A row by its table, and what its MAC is over. */
interface Sealed {
  row: NamedRow;
  values: readonly Deciding[];
}

export function sealedKey(key: DecidingKey): Sealed {
  const values = [
    key.id,
    key.partner_id,
    key.environment,
    key.key_prefix,
    key.secret_hmac,
    key.previous_prefix,
    key.previous_secret_hmac,
    key.previous_expires_at,
    key.scope,
    key.networks,
    key.expires_at,
    key.daily_limit_pence,
    key.full_limit_at,
  ];
  return { row: { table: 'api_keys', partnerId: key.partner_id }, values };
}

export function sealedMember({ partner_id: partnerId, email, role }: DecidingMember): Sealed {
  return { row: { table: 'members', partnerId }, values: [partnerId, email, role] };
}

export function sealedSession(session: DecidingSession): Sealed {
  const { id, partner_id: partnerId, email, token_hmac: tokenHmac, created_at: createdAt } = session;
  return { row: { table: 'sessions', partnerId }, values: [id, partnerId, email, tokenHmac, createdAt] };
}

export function makeMac(macs: RowMacs, { row, values }: Sealed): Buffer {
  return macs.make(row, values);
}

/** Whether it is as we wrote it. One that is not raises an alarm. */
export function isOurs(macs: RowMacs, { row, values }: Sealed, mac: Buffer | null): boolean {
  return macs.isOurs(row, values, mac);
}

function requireOurs(tx: Transaction, sealed: Sealed, mac: Buffer | null): void {
  if (!isOurs(tx.rowMacs, sealed, mac)) throw new RowTampered();
}

/** With the MAC that each has. */
export const selectKeys = `select id, partner_id, environment, key_prefix, secret_hmac, previous_prefix, previous_secret_hmac,
    previous_expires_at, scope, networks::text[], expires_at, daily_limit_pence, full_limit_at, mac
  from kelpie.api_keys`;

async function readKey(tx: Transaction, id: string): Promise<DecidingKey & { mac: Buffer | null }> {
  const { rows } = await tx.query<DecidingKey & { mac: Buffer | null }>(
    `${selectKeys} where id = $1 for no key update`,
    [id],
  );
  if (rows[0] === undefined) throw new Error('a key that is not there');
  return rows[0];
}

/** After the row was written in this transaction. Where it was there before, `changeKey` does both. */
export async function sealKey(tx: Transaction, id: string): Promise<void> {
  const mac = makeMac(tx.rowMacs, sealedKey(await readKey(tx, id)));
  await tx.query('update kelpie.api_keys set mac = $2 where id = $1', [id, mac]);
}

/** Signs what the change made of the key, if the key was ours before. */
export async function changeKey<Changed>(
  tx: Transaction,
  id: string,
  change: () => Promise<Changed>,
): Promise<Changed> {
  const key = await readKey(tx, id);
  requireOurs(tx, sealedKey(key), key.mac);
  const changed = await change();
  await sealKey(tx, id);
  return changed;
}

/** One that we have just written, as it was written. */
export async function sealMember(tx: Transaction, member: DecidingMember): Promise<void> {
  const mac = makeMac(tx.rowMacs, sealedMember(member));
  await tx.query('update kelpie.members set mac = $3 where partner_id = $1 and email = $2', [
    member.partner_id,
    member.email,
    mac,
  ]);
}

/** Of the transaction's partner. Nothing is done about a member who was not ours. */
export async function requireOwnMember(tx: Transaction, email: string): Promise<void> {
  const { rows } = await tx.query<DecidingMember & { mac: Buffer | null }>(
    'select partner_id, email, role, mac from kelpie.members where email = $1 for no key update',
    [email],
  );
  const [member] = rows;
  if (member !== undefined) requireOurs(tx, sealedMember(member), member.mac);
}

const sealSessionCall: Call = { name: 'seal_session', text: 'select from kelpie.seal_session($1, $2)', writes: true };

/** One that was opened just now. */
export async function sealSession(by: Transaction | SingleCalls, session: DecidingSession): Promise<void> {
  const values = [session.id, makeMac(by.rowMacs, sealedSession(session))];
  await ('query' in by ? by.query(sealSessionCall.text, values) : by.call(sealSessionCall, values));
}
