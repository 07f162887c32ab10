import { DatabaseError } from 'pg';
import type { Call, SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import type { Origin } from '../../platform/origin.ts';
import { sealSession } from '../sealed-rows.ts';
import type { NewSession } from './session-to-open.ts';

interface NewCode {
  id: string;
  emailHmac: Buffer;
  /** Of the cookie of the browser that asks; null where it has none. */
  browserHmac: Buffer | null;
  codeHmac: Buffer;
  mailEncrypted: Buffer;
  /** The business that it shall open. */
  signUp: { slug: string; encrypted: Buffer } | null;
}

/** Nothing was written where it is not added: too many were asked for lately, or the slug is another's. */
type Added = 'added' | 'too_many' | 'slug_taken';

export async function addSignInCode(tx: Transaction, code: NewCode, at: Date): Promise<Added> {
  const { id, emailHmac, browserHmac, codeHmac, mailEncrypted, signUp } = code;
  const { rows } = await tx.query<{ outcome: Added }>(
    'select kelpie.add_sign_in_code($1, $2, $3, $4, $5, $6, $7, $8) as outcome',
    [id, emailHmac, browserHmac, codeHmac, mailEncrypted, signUp?.slug ?? null, signUp?.encrypted ?? null, at],
  );
  if (rows[0] === undefined) throw new Error('a code was neither added nor refused');
  return rows[0].outcome;
}

/** Those that are still to be mailed, the newest first. */
export async function listWaitingCodes(tx: Transaction, before: string, atMost: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>('select id from kelpie.list_sign_in_mails($1, $2) as id', [
    before,
    atMost,
  ]);
  return rows.map(({ id }) => id);
}

export interface CodeMail {
  encrypted: Buffer;
  isSignUp: boolean;
  createdAt: Date;
}

/** What is to be mailed; null where that has been done. */
export async function findSignInMail(tx: Transaction, codeId: string): Promise<CodeMail | null> {
  const { rows } = await tx.query<{ mail_encrypted: Buffer; is_sign_up: boolean; created_at: Date }>(
    'select * from kelpie.show_sign_in_mail($1)',
    [codeId],
  );
  const [row] = rows;
  return row === undefined
    ? null
    : { encrypted: row.mail_encrypted, isSignUp: row.is_sign_up, createdAt: row.created_at };
}

/** False where another has mailed it meanwhile: then this transaction must not. */
export async function forgetSignInMail(tx: Transaction, codeId: string): Promise<boolean> {
  const { rows } = await tx.query<{ forgot: boolean }>('select kelpie.forget_sign_in_mail($1) as forgot', [codeId]);
  return rows[0]?.forgot === true;
}

export async function isMember(tx: Transaction, email: string): Promise<boolean> {
  const { rows } = await tx.query<{ is_member: boolean }>('select kelpie.is_member($1) as is_member', [email]);
  return rows[0]?.is_member === true;
}

interface Attempt {
  email: string;
  /** Of the partner that it is for; null where it does not say. */
  slug: string | null;
  emailHmac: Buffer;
  codeHmac: Buffer;
}

/** A session as the database takes it, from nine values. */
const newSession = 'row($1, $2, $3, $4, $5, $6, $7, $8, $9)::kelpie.new_session';

function sessionValues({ origin: { network, browser }, ...row }: NewSession): unknown[] {
  const { sessionId, tokenHmac, oldTokenHmac, requestId, browserHmac, newBrowserId, newBrowserHmac } = row;
  return [sessionId, tokenHmac, oldTokenHmac, requestId, network, browser, browserHmac, newBrowserId, newBrowserHmac];
}

/** What became of the browser that a session was opened in. */
export interface BegunSession {
  /** Whether it keeps the cookie by which we know it. */
  keepsBrowser: boolean;
  /** Whether it is new to a person who has signed in before. */
  isNewBrowser: boolean;
}

interface BegunRow {
  keeps_browser: boolean;
  is_new_browser: boolean;
}

function begunFrom({ keeps_browser: keepsBrowser, is_new_browser: isNewBrowser }: BegunRow): BegunSession {
  return { keepsBrowser, isNewBrowser };
}

type OpenedRow =
  | ({ outcome: 'opened'; partner_id: string } & BegunRow)
  | { outcome: 'sign_up'; code_id: string; sign_up_slug: string; sign_up_encrypted: Buffer }
  | { outcome: 'wrong'; partner_id: string | null };

type Judged =
  | ({ kind: 'opened'; partnerId: string } & BegunSession)
  /** The code is right; the business that it stands for is still to be made. */
  | { kind: 'sign_up'; id: string; slug: string; businessEncrypted: Buffer }
  /** Counted as a guess, at a member of this partner's or at nobody. */
  | { kind: 'wrong'; partnerId: string | null }
  /** No code that could be right, or no guess left. */
  | { kind: 'not_judged' };

async function sealOpened(
  by: Transaction | SingleCalls,
  { sessionId: id, tokenHmac: token_hmac }: NewSession,
  { partnerId: partner_id, email, at: created_at }: { partnerId: string; email: string; at: Date },
): Promise<void> {
  await sealSession(by, { id, partner_id, email, token_hmac, created_at });
}

export async function openSession(
  tx: Transaction,
  { email, slug, emailHmac, codeHmac }: Attempt,
  session: NewSession,
  at: Date,
): Promise<Judged> {
  const { rows } = await tx.query<OpenedRow>(
    `select * from kelpie.open_session($10, $11, $12, $13, ${newSession}, $14)`,
    [...sessionValues(session), email, slug, emailHmac, codeHmac, at],
  );
  const [row] = rows;
  switch (row?.outcome) {
    case undefined:
      return { kind: 'not_judged' };
    case 'opened':
      await sealOpened(tx, session, { partnerId: row.partner_id, email, at });
      return { kind: 'opened', partnerId: row.partner_id, ...begunFrom(row) };
    case 'wrong':
      return { kind: 'wrong', partnerId: row.partner_id };
    case 'sign_up':
      return { kind: 'sign_up', id: row.code_id, slug: row.sign_up_slug, businessEncrypted: row.sign_up_encrypted };
  }
}

interface FirstSession {
  codeId: string;
  partnerId: string;
  email: string;
  emailHmac: Buffer;
}

/** False where the code was used. Whoever else has it waits until this transaction ends. */
export async function lockSignUpCode(tx: Transaction, codeId: string): Promise<boolean> {
  const { rows } = await tx.query<{ is_free: boolean }>('select kelpie.lock_sign_up_code($1) as is_free', [codeId]);
  return rows[0]?.is_free ?? false;
}

/** In the transaction that makes the partner. Null where the code was used meanwhile. */
export async function openFirstSession(
  tx: Transaction,
  { codeId, partnerId, email, emailHmac }: FirstSession,
  session: NewSession,
  at: Date,
): Promise<BegunSession | null> {
  const { rows } = await tx.query<BegunRow>(
    `select * from kelpie.open_first_session($10, $11, $12, $13, ${newSession}, $14)`,
    [...sessionValues(session), codeId, partnerId, email, emailHmac, at],
  );
  if (rows[0] === undefined) return null;
  await sealOpened(tx, session, { partnerId, email, at });
  return begunFrom(rows[0]);
}

/** Whether the database refused a partner for its short name. */
export function isSlugTaken(error: unknown): boolean {
  return error instanceof DatabaseError && error.constraint === 'partners_slug_key';
}

export interface SessionRow {
  id: string;
  partner_id: string;
  email: string;
  role: 'admin' | 'viewer';
  has_live: boolean;
  created_at: Date;
  mac: Buffer | null;
  member_mac: Buffer | null;
}

const findSessionCall: Call = { name: 'find_session', text: 'select * from kelpie.find_session($1, $2)' };

export async function findSession(calls: SingleCalls, tokenHmac: Buffer, at: Date): Promise<SessionRow | null> {
  const [row] = await calls.call<SessionRow>(findSessionCall, [tokenHmac, at]);
  return row ?? null;
}

/** An open session as people are shown it. */
export interface ListedSession extends Origin {
  id: string;
  email: string;
  created_at: Date;
  last_seen_at: Date;
}

const listSessionsCall: Call = {
  name: 'list_sessions',
  text: 'select * from kelpie.list_sessions($1, $2, $3, $4, $5)',
};

/** Of all the partner's people, or of one of them; the one that was used last comes first. */
export async function listSessions(
  calls: SingleCalls,
  { partnerId, environment }: PartnerContext,
  { email, at, limit }: { email: string | null; at: Date; limit: number },
): Promise<ListedSession[]> {
  return calls.call<ListedSession>(listSessionsCall, [partnerId, environment, email, at, limit]);
}

export interface LockedSession extends Origin {
  email: string;
  created_at: Date;
  is_ended: boolean;
}

/** A session of the partner's, locked; null for any other. */
export async function lockSession(tx: Transaction, sessionId: string): Promise<LockedSession | null> {
  const { rows } = await tx.query<LockedSession>(
    `select email, created_at, network, browser, revoked_at is not null as is_ended
     from kelpie.sessions where id = $1 for no key update`,
    [sessionId],
  );
  return rows[0] ?? null;
}

export async function isOpenSession(tx: Transaction, sessionId: string): Promise<boolean> {
  const { rows } = await tx.query('select from kelpie.sessions where id = $1 and revoked_at is null', [sessionId]);
  return rows.length === 1;
}

/** Every open session of the partner's but this one; says how many. */
export async function revokeOtherSessions(tx: Transaction, sessionId: string, at: Date): Promise<number> {
  const { rows } = await tx.query(
    `update kelpie.sessions set revoked_at = $2::timestamptz
     where id in (
       select id from kelpie.sessions
       where id <> $1 and revoked_at is null and created_at > $2::timestamptz - interval '12 hours'
         and last_seen_at > $2::timestamptz - interval '30 minutes'
       order by id for no key update
     ) returning id`,
    [sessionId, at],
  );
  return rows.length;
}

const endOwnCall: Call = {
  name: 'end_own_sessions',
  text: 'select kelpie.end_own_sessions($1, $2, $3, $4, $5) as ended',
  writes: true,
};

/** Every other session of whoever has this one, in every account; null where this one is over. */
export async function revokeOwnSessions(
  calls: SingleCalls,
  { sessionId, requestId, origin }: { sessionId: string; requestId: string; origin: Origin },
  at: Date,
): Promise<number | null> {
  const values = [sessionId, requestId, origin.network, origin.browser, at];
  const [row] = await calls.call<{ ended: number | null }>(endOwnCall, values);
  return row?.ended ?? null;
}

/** In a transaction of the partner's. False where it was over already. */
export async function revokeSession(tx: Transaction, sessionId: string, at: Date): Promise<boolean> {
  const { rows } = await tx.query(
    'update kelpie.sessions set revoked_at = $2 where id = $1 and revoked_at is null returning id',
    [sessionId, at],
  );
  return rows.length === 1;
}

interface ShownSession {
  email: string;
  name: string | null;
  role: 'admin' | 'viewer';
  created_at: Date;
  partner_name: string;
  partner_slug: string;
  partner_status: string;
  has_live: boolean;
}

const showSessionCall: Call = { name: 'show_session', text: 'select * from kelpie.show_session($1, $2, $3)' };

/** Who has a session; null where the person was removed a moment ago. */
export async function findShownSession(
  calls: SingleCalls,
  { partnerId, environment }: PartnerContext,
  sessionId: string,
): Promise<ShownSession | null> {
  const [row] = await calls.call<ShownSession>(showSessionCall, [partnerId, environment, sessionId]);
  return row ?? null;
}

export interface OwnAccount {
  slug: string;
  name: string;
  role: 'admin' | 'viewer';
  last_login_at: Date | null;
  is_current: boolean;
}

/** More accounts than a person looks after. */
const mostAccounts = 200;

const listAccountsCall: Call = { name: 'list_accounts', text: 'select * from kelpie.list_accounts($1, $2)' };

/** Where whoever has this session is a member, the account that it is for first. */
export async function listAccounts(calls: SingleCalls, sessionId: string): Promise<OwnAccount[]> {
  return calls.call<OwnAccount>(listAccountsCall, [sessionId, mostAccounts]);
}

interface Entry {
  slug: string;
  /** Whose session it is. */
  email: string;
  /** Of the security event in the account that is entered. The one that is left has the request's. */
  eventId: string;
}

const switchAccountCall: Call = {
  name: 'switch_account',
  text: `select * from kelpie.switch_account(${newSession}, $10, $11, $12)`,
  writes: true,
};

/** Null where the session is over, or the account is none of the person's. */
export async function openOtherSession(
  calls: SingleCalls,
  session: NewSession,
  { slug, email, eventId }: Entry,
  at: Date,
): Promise<{ partner_id: string; created_at: Date } | null> {
  const values = [...sessionValues(session), slug, eventId, at];
  const [row] = await calls.call<{ partner_id: string; created_at: Date }>(switchAccountCall, values);
  if (row === undefined) return null;
  await sealOpened(calls, session, { partnerId: row.partner_id, email, at: row.created_at });
  return row;
}

const sweepCall: Call = { name: 'sweep_sign_ins', text: 'select kelpie.sweep_sign_ins($1, $2) as swept', writes: true };

export async function sweepSignInRows(
  calls: SingleCalls,
  { at, atMost }: { at: Date; atMost: number },
): Promise<number> {
  const [row] = await calls.call<{ swept: string }>(sweepCall, [at, atMost]);
  return Number(row?.swept ?? 0);
}

/** An open session as operators see it. */
interface AdminSession extends Origin {
  id: string;
  email: string;
  createdAt: Date;
  lastSeenAt: Date;
}

/** The one used last first. Runs as kelpie_reader. */
export async function listOpenSessions(
  tx: Transaction,
  partnerId: string,
  { at, atMost }: { at: Date; atMost: number },
): Promise<AdminSession[]> {
  const { rows } = await tx.query<AdminSession>(
    `select id, email, created_at as "createdAt", last_seen_at as "lastSeenAt", network, browser from kelpie.sessions
     where partner_id = $1 and revoked_at is null and created_at > $2::timestamptz - interval '12 hours'
       and last_seen_at > $2::timestamptz - interval '30 minutes'
     order by last_seen_at desc, id desc limit $3`,
    [partnerId, at, atMost],
  );
  return rows;
}

interface OperatorsEnd {
  /** Of the security event that the partner sees. */
  eventId: string;
  at: Date;
}

/** By an operator; needs a session.end entry in the audit log. Returns null if there is no such session or it has ended. */
export async function endOneSession(
  tx: Transaction,
  sessionId: string,
  { eventId, at }: OperatorsEnd,
): Promise<{ email: string } | null> {
  const { rows } = await tx.query<{ email: string }>('select email from kelpie.operator_end_session($1, $2, $3)', [
    sessionId,
    eventId,
    at,
  ]);
  return rows[0] ?? null;
}

/** By an operator; needs a session.end_all entry in the audit log. Returns how many were open. */
export async function endEverySession(
  tx: Transaction,
  partnerId: string,
  { eventId, at }: OperatorsEnd,
): Promise<number> {
  const { rows } = await tx.query<{ ended: number }>('select kelpie.operator_end_sessions($1, $2, $3) as ended', [
    partnerId,
    eventId,
    at,
  ]);
  return rows[0]?.ended ?? 0;
}
