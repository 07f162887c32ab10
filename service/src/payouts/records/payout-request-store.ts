import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import type { Call, SingleCalls } from '../../platform/database/single-call.ts';
import type { PayoutRequest, RequestState } from '../model/payout-request.ts';

interface RequestRow {
  id: string;
  partner_id: string;
  environment: PayoutRequest['environment'];
  order_id: string;
  idempotency_key: string;
  fingerprint: Buffer;
  digest: Buffer;
  state: RequestState;
  reasons: PayoutRequest['reasons'];
  amount_pence: string;
  reference: string | null;
  recipient_name: string | null;
  account_last4: string | null;
  recipient_encrypted: Buffer | null;
  requested_via: PayoutRequest['requestedVia'];
  caller_id: string;
  requested_by: string;
  requester: string | null;
  expires_at: Date;
  approved_by: string | null;
  declined_by: string | null;
  decided_at: Date | null;
  payout_id: string | null;
}

const columns = `id, partner_id, environment, order_id, idempotency_key, fingerprint, digest, state, reasons, amount_pence,
  reference, recipient_name, account_last4, recipient_encrypted, requested_via, caller_id, requested_by, requester, expires_at,
  approved_by, declined_by, decided_at, payout_id`;

function requestFrom(row: RequestRow): PayoutRequest {
  return {
    id: row.id,
    partnerId: row.partner_id,
    environment: row.environment,
    orderId: row.order_id,
    idempotencyKey: row.idempotency_key,
    fingerprint: row.fingerprint,
    digest: row.digest,
    state: row.state,
    reasons: row.reasons,
    amount: BigInt(row.amount_pence),
    reference: row.reference,
    recipientName: row.recipient_name,
    accountLast4: row.account_last4,
    recipientEncrypted: row.recipient_encrypted,
    requestedVia: row.requested_via,
    callerId: row.caller_id,
    requestedBy: row.requested_by,
    requester: row.requester,
    expiresAt: row.expires_at,
    decidedAt: row.decided_at,
    decidedBy: row.state === 'approved' ? row.approved_by : row.declined_by,
    payoutId: row.payout_id,
  };
}

export async function findRequest(tx: Transaction, id: string): Promise<PayoutRequest | null> {
  const { rows } = await tx.query<RequestRow>(`select ${columns} from kelpie.payout_requests where id = $1`, [id]);
  return rows[0] === undefined ? null : requestFrom(rows[0]);
}

/** The newest of an Idempotency-Key, which its order id stands for. */
export async function findRequestOfOrder(tx: Transaction, orderId: string): Promise<PayoutRequest | null> {
  const { rows } = await tx.query<RequestRow>(
    `select ${columns} from kelpie.payout_requests where order_id = $1 order by id desc limit 1`,
    [orderId],
  );
  return rows[0] === undefined ? null : requestFrom(rows[0]);
}

interface RequestPage {
  /** Null for all. */
  state: RequestState | null;
  before: string;
  limit: number;
}

/** The newest first. */
export async function listRequests(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
  { state, before, limit }: RequestPage,
): Promise<PayoutRequest[]> {
  const { rows } = await tx.query<RequestRow>(
    `select ${columns} from kelpie.payout_requests
     where partner_id = $1 and environment = $2 and ($3::kelpie.payout_request_state is null or state = $3) and id < $4
     order by id desc limit $5`,
    [partnerId, environment, state, before, limit],
  );
  return rows.map(requestFrom);
}

/** The admin who created an API key; null where that was not kept. */
export async function findKeyCreator(tx: Transaction, keyId: string): Promise<string | null> {
  const { rows } = await tx.query<{ created_by: string | null }>(
    'select created_by from kelpie.api_keys where id = $1',
    [keyId],
  );
  return rows[0]?.created_by ?? null;
}

type NewRequest = Omit<
  PayoutRequest,
  'partnerId' | 'environment' | 'state' | 'reasons' | 'requester' | 'decidedAt' | 'decidedBy' | 'payoutId'
> & { accountIndex: Buffer };

export type OpenedRequest = { kind: 'opened'; askedLately: number } | { kind: 'known' | 'not_needed' | 'too_many' };

/** What it finds has committed by then: a request, or a payout, of the same Idempotency-Key. */
export async function openRequest(tx: Transaction, request: NewRequest, at: Date): Promise<OpenedRequest> {
  const { rows } = await tx.query<{ outcome: OpenedRequest['kind']; asked_lately: string }>(
    `select outcome, asked_lately
     from kelpie.open_payout_request($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      request.id,
      request.orderId,
      request.idempotencyKey,
      request.fingerprint,
      request.digest,
      request.amount,
      request.reference,
      request.recipientName,
      request.accountLast4,
      request.recipientEncrypted,
      request.accountIndex,
      request.requestedVia,
      request.callerId,
      request.requestedBy,
      request.expiresAt,
      at,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no row');
  return row.outcome === 'opened' ? { kind: 'opened', askedLately: Number(row.asked_lately) } : { kind: row.outcome };
}

export type RequestDecision =
  | 'approved'
  | 'declined'
  | 'own'
  | 'not_found'
  | 'not_admin'
  | 'requester_gone'
  | 'was_approved'
  | 'was_declined'
  | 'was_expired';

/** An approval is good for a minute, in which the payout is created. */
export async function decideRequest(
  tx: Transaction,
  { id, sessionId, approves }: { id: string; sessionId: string; approves: boolean },
  at: Date,
): Promise<RequestDecision> {
  const { rows } = await tx.query<{ decided: RequestDecision }>(
    'select kelpie.decide_payout_request($1, $2, $3, $4) as decided',
    [id, sessionId, approves, at],
  );
  if (rows[0] === undefined) throw new Error('the database returned no row');
  return rows[0].decided;
}

const sweepCall: Call = {
  name: 'sweep_payout_requests',
  text: 'select * from kelpie.sweep_payout_requests($1, $2)',
  writes: true,
};

/** Closes what has expired, and deletes what was closed long ago: so many of each at most. */
export async function sweepRequests(
  calls: SingleCalls,
  at: Date,
  atMost: number,
): Promise<{ expired: number; deleted: number }> {
  const [row] = await calls.call<{ expired: string; deleted: string }>(sweepCall, [at, atMost]);
  return { expired: Number(row?.expired ?? 0), deleted: Number(row?.deleted ?? 0) };
}
