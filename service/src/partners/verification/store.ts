import type { Verification } from '../../banks/index.ts';
import type { Call, SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import type { Decision } from '../mails/verification-decided.ts';

/** A verification that is known, and how the bank answered last. */
export interface KnownVerification {
  id: string;
  state: Verification['state'];
  /** When its state changed, or the bank told of news. */
  lastNewsAt: Date;
  askedAt: Date;
  /** The name of the business. */
  business: string;
}

interface KnownRow {
  id: string;
  state: Verification['state'];
  last_news_at: Date;
  asked_at: Date;
  name: string;
}

export async function getKnown(tx: Transaction, id: string): Promise<KnownVerification> {
  const { rows } = await tx.query<KnownRow>(
    `select v.id, v.state, greatest(v.changed_at, v.woken_at) as last_news_at, v.asked_at, p.name
     from kelpie.verifications v join kelpie.partners p on p.id = v.partner_id where v.id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a verification of another partner, or of none');
  return { id, state: row.state, lastNewsAt: row.last_news_at, askedAt: row.asked_at, business: row.name };
}

interface StandingRow {
  name: string;
  verification_status: string;
  attempts: number;
  newest_id: string | null;
}

/** Where a partner stands before it starts one. */
export interface Standing {
  business: string;
  isApproved: boolean;
  /** How many it has started. */
  attempts: number;
  newestId: string | null;
}

export async function getStanding(tx: Transaction, partnerId: string): Promise<Standing> {
  const { rows } = await tx.query<StandingRow>(
    `select p.name, p.verification_status, (select count(*) from kelpie.verifications)::int as attempts,
       (select v.id from kelpie.verifications v order by v.started_at desc limit 1) as newest_id
     from kelpie.partners p where p.id = $1`,
    [partnerId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a partner that is not there');
  const { name: business, verification_status: status, attempts, newest_id: newestId } = row;
  return { business, isApproved: status === 'approved', attempts, newestId };
}

/** Whether it is the partner's now, or it has another that counts, or another partner has it. */
export type Begun = 'begun' | 'under_way' | 'anothers';

export async function beginVerification(tx: Transaction, id: string, at: Date): Promise<Begun> {
  const { rows } = await tx.query<{ begun: Begun }>('select kelpie.begin_verification($1, $2) as begun', [id, at]);
  const [row] = rows;
  if (row === undefined) throw new Error('the database did not say whether it has begun');
  return row.begun;
}

/** Since when its wallet is being opened; from now on, if it was not yet. */
export async function markOpening(tx: Transaction, id: string, at: Date): Promise<Date> {
  const { rows } = await tx.query<{ since: Date }>(
    `update kelpie.verifications set opening_since = coalesce(opening_since, $2) where id = $1
     returning opening_since as since`,
    [id, at],
  );
  return rows[0]?.since ?? at;
}

export interface Taken {
  verification: Verification;
  /** At the bank, of one that is approved. */
  walletId: string | null;
  polledAt: Date;
  at: Date;
  nextDueAt: Date | null;
}

/** Writes what the bank said, and says what its admins are to be told; null where they know. */
export async function applyAnswer(tx: Transaction, taken: Taken): Promise<Decision | null> {
  const { verification } = taken;
  const isApproved = verification.state === 'approved';
  const { rows } = await tx.query<{ decision: Decision | null }>(
    'select kelpie.apply_verification($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as decision',
    [
      verification.id,
      taken.polledAt,
      taken.at,
      taken.nextDueAt,
      verification.state,
      verification.reasons.length > 0,
      verification.providerStatus,
      // There is nothing left to do there.
      isApproved ? null : verification.continueUrl,
      isApproved ? null : verification.termsUrl,
      verification.customerId,
      taken.walletId,
    ],
  );
  return rows[0]?.decision ?? null;
}

interface LaterAnswer {
  verification: Pick<Verification, 'id' | 'state' | 'providerStatus'>;
  polledAt: Date;
  at: Date;
}

/** Says whether the bank has withdrawn its approval; the partner's live payments are blocked then. */
export async function followApproved(tx: Transaction, { verification, polledAt, at }: LaterAnswer): Promise<boolean> {
  const { rows } = await tx.query<{ withdrawn: boolean }>(
    'select kelpie.follow_approved_verification($1, $2, $3, $4, $5) as withdrawn',
    [verification.id, polledAt, at, verification.state, verification.providerStatus],
  );
  return rows[0]?.withdrawn ?? false;
}

export async function pollAgainAt(tx: Transaction, id: string, dueAt: Date | null): Promise<void> {
  await tx.query('update kelpie.verifications set due_at = $2 where id = $1', [id, dueAt]);
}

/** The same inside a transaction. */
export async function wakeIn(tx: Transaction, id: string, at: Date): Promise<void> {
  await tx.query('select kelpie.wake_verification($1, $2)', [id, at]);
}

const wakeCall: Call = {
  name: 'wake_verification',
  text: 'select kelpie.wake_verification($1, $2) as made_due',
  writes: true,
};

/** Says whether it is due by this; not where it was due already, or is nobody's. */
export async function makeDue(calls: SingleCalls, id: string, at: Date): Promise<boolean> {
  const [row] = await calls.call<{ made_due: boolean }>(wakeCall, [id, at]);
  return row?.made_due ?? false;
}

export interface DueVerification extends Pick<PartnerContext, 'partnerId'> {
  id: string;
}

const listDueCall: Call = {
  name: 'list_due_verifications',
  text: 'select * from kelpie.list_due_verifications($1, $2, $3)',
};

/** In the order of their ids. */
export async function listDue(
  calls: SingleCalls,
  { at, afterId, atMost }: { at: Date; afterId: string; atMost: number },
): Promise<DueVerification[]> {
  const rows = await calls.call<{ id: string; partner_id: string }>(listDueCall, [at, afterId, atMost]);
  return rows.map((row) => ({ id: row.id, partnerId: row.partner_id }));
}
