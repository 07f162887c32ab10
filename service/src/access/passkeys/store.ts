import type { Call, SingleCalls } from '../../platform/database/single-call.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import type { StoredPasskey, VerifiedCredential, VerifiedUse } from './verify.ts';

export interface Passkey {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** A credential as a browser is told of it. */
export interface KnownCredential {
  id: string;
  transports: string[];
}

const shown = 'id, name, created_at as "createdAt", last_used_at as "lastUsedAt"';

/** Those of one member, the oldest first. */
export async function listPasskeys(tx: Transaction, email: string): Promise<Passkey[]> {
  const { rows } = await tx.query<Passkey>(
    `select ${shown} from kelpie.passkeys where email = $1 order by created_at, id`,
    [email],
  );
  return rows;
}

export async function findPasskey(tx: Transaction, of: { id: string; email: string }): Promise<Passkey | null> {
  const { rows } = await tx.query<Passkey>(`select ${shown} from kelpie.passkeys where id = $1 and email = $2`, [
    of.id,
    of.email,
  ]);
  return rows[0] ?? null;
}

export async function listCredentials(tx: Transaction, email: string): Promise<KnownCredential[]> {
  const { rows } = await tx.query<{ credential_id: Buffer; transports: string[] }>(
    'select credential_id, transports from kelpie.passkeys where email = $1 order by created_at, id',
    [email],
  );
  return rows.map(({ credential_id: id, transports }) => ({ id: id.toString('base64url'), transports }));
}

export async function findCredential(
  tx: Transaction,
  { email, id }: { email: string; id: string },
): Promise<StoredPasskey | null> {
  const { rows } = await tx.query<{ credential_id: Buffer; public_key: Buffer; counter: string }>(
    'select credential_id, public_key, counter from kelpie.passkeys where credential_id = $1 and email = $2',
    [Buffer.from(id, 'base64url'), email],
  );
  const [row] = rows;
  return row === undefined
    ? null
    : { credentialId: row.credential_id, publicKey: row.public_key, counter: Number(row.counter) };
}

export async function renamePasskey(
  tx: Transaction,
  { id, email, name }: { id: string; email: string; name: string },
): Promise<boolean> {
  const { rows } = await tx.query('update kelpie.passkeys set name = $3 where id = $1 and email = $2 returning id', [
    id,
    email,
    name,
  ]);
  return rows.length === 1;
}

export async function deletePasskey(tx: Transaction, { id, email }: { id: string; email: string }): Promise<void> {
  await tx.query('delete from kelpie.passkeys where id = $1 and email = $2', [id, email]);
}

export async function needsPasskey(tx: Transaction, of: { partnerId: string; email: string }): Promise<boolean> {
  const { rows } = await tx.query<{ needed: boolean }>('select kelpie.needs_passkey($1, $2) as needed', [
    of.partnerId,
    of.email,
  ]);
  return rows[0]?.needed ?? false;
}

export type Purpose = 'sign_in' | 'add' | 'confirm';

interface NewChallenge {
  challenge: Buffer;
  sessionId: string;
  purpose: Purpose;
  confirmationId: string | null;
}

export async function addChallenge(tx: Transaction, row: NewChallenge, at: Date): Promise<void> {
  await tx.query('select from kelpie.add_passkey_challenge($1, $2, $3, $4, $5)', [
    row.challenge,
    row.sessionId,
    row.purpose,
    row.confirmationId,
    at,
  ]);
}

export type AddedPasskey = 'added' | 'refused' | 'too_many' | 'known';

export async function addPasskey(
  tx: Transaction,
  { challenge, credentialId, publicKey, counter, transports }: VerifiedCredential,
  { id, name, sessionId }: { id: string; name: string; sessionId: string },
  at: Date,
): Promise<AddedPasskey> {
  const { rows } = await tx.query<{ outcome: AddedPasskey }>(
    'select kelpie.add_passkey($1, $2, $3, $4, $5, $6, $7, $8, $9) as outcome',
    [challenge, sessionId, id, name, credentialId, publicKey, counter, transports, at],
  );
  return rows[0]?.outcome ?? 'refused';
}

/** False where the challenge, the passkey or its counter does not fit: the challenge is used up once that commits. */
export async function usePasskey(
  tx: Transaction,
  { challenge, credentialId, counter }: VerifiedUse,
  { sessionId, purpose }: { sessionId: string; purpose: Exclude<Purpose, 'add'> },
  at: Date,
): Promise<boolean> {
  const { rows } = await tx.query<{ used: boolean }>('select kelpie.use_passkey($1, $2, $3, $4, $5, $6) as used', [
    challenge,
    sessionId,
    purpose,
    credentialId,
    counter,
    at,
  ]);
  return rows[0]?.used ?? false;
}

/** A session that a code opened, and in which its person still has to use a passkey. */
export interface UnprovenSession {
  id: string;
  partnerId: string;
  email: string;
  hasPasskey: boolean;
  mayAdd: boolean;
}

const findUnprovenCall: Call = {
  name: 'find_unproven_session',
  text: `select id, partner_id as "partnerId", email, has_passkey as "hasPasskey", may_add as "mayAdd"
    from kelpie.find_unproven_session($1, $2)`,
};

export async function findUnprovenSession(
  calls: SingleCalls,
  tokenHmac: Buffer,
  at: Date,
): Promise<UnprovenSession | null> {
  const [row] = await calls.call<UnprovenSession>(findUnprovenCall, [tokenHmac, at]);
  return row ?? null;
}

export interface PasskeyRule {
  required: boolean;
  /** Members who have no passkey. */
  without: string[];
}

export async function readRule(tx: Transaction): Promise<PasskeyRule> {
  const { rows } = await tx.query<PasskeyRule>(
    `select p.require_passkeys as required, array(
       select m.email from kelpie.members m
       where not exists (select from kelpie.passkeys k where k.partner_id = m.partner_id and k.email = m.email)
       order by m.email limit 200
     ) as without
     from kelpie.partners p where p.id = kelpie.current_partner()`,
  );
  if (rows[0] === undefined) throw new Error('a transaction of no partner');
  return rows[0];
}

export async function setRule(tx: Transaction, required: boolean): Promise<void> {
  await tx.query('update kelpie.partners set require_passkeys = $1 where id = kelpie.current_partner()', [required]);
}

/** Of the member that the proposal names. Returns false if there is none. */
export async function resetByProposal(
  tx: Transaction,
  { proposalId, partnerId, at }: { proposalId: string; partnerId: string; at: Date },
): Promise<boolean> {
  const { rows } = await tx.query<{ reset: boolean }>('select kelpie.operator_reset_passkeys($1, $2, $3) as reset', [
    proposalId,
    partnerId,
    at,
  ]);
  return rows[0]?.reset ?? false;
}
