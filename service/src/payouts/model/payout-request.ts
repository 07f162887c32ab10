import { formatPounds, type Pence } from '../../money/amounts.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { instantOf } from '../../platform/ids.ts';
import type { KeyedDigest } from '../../platform/keyed-digest.ts';

export const requestStates = ['open', 'approved', 'declined', 'expired'] as const;
export type RequestState = (typeof requestStates)[number];
/** Which rules ask for a second admin. */
export type ApprovalReason = 'amount' | 'new_payee' | 'key';

/** A payout that waits for a second admin, or what was decided of it. It holds no money. */
export interface PayoutRequest extends PartnerContext {
  id: string;
  /** Of the payout that an approval creates. */
  orderId: string;
  idempotencyKey: string;
  fingerprint: Buffer;
  digest: Buffer;
  state: RequestState;
  reasons: ApprovalReason[];
  amount: Pence;
  reference: string | null;
  recipientName: string | null;
  accountLast4: string | null;
  /** Until it is decided. */
  recipientEncrypted: Buffer | null;
  requestedVia: 'api' | 'dashboard';
  /** The API key, or the session of the person. */
  callerId: string;
  requestedBy: string;
  /** The person who may not approve it; null where that is not known. */
  requester: string | null;
  expiresAt: Date;
  decidedAt: Date | null;
  decidedBy: string | null;
  payoutId: string | null;
}

/** How long an admin has to decide. */
export const openForMs = 72 * 3_600_000;

type Digested = Pick<
  PayoutRequest,
  | 'id'
  | 'partnerId'
  | 'environment'
  | 'orderId'
  | 'idempotencyKey'
  | 'fingerprint'
  | 'requestedVia'
  | 'callerId'
  | 'requestedBy'
  | 'requester'
  | 'expiresAt'
>;

/** Of all that an approval stands for. A row that was changed by hand has another. The fingerprint is of the order. */
export function digestOfRequest(digest: KeyedDigest, request: Digested): Buffer {
  return digest(
    JSON.stringify([
      'payout request',
      request.id,
      request.partnerId,
      request.environment,
      request.orderId,
      request.idempotencyKey,
      request.fingerprint.toString('hex'),
      request.requestedVia,
      request.callerId,
      request.requestedBy,
      request.requester,
      request.expiresAt.toISOString(),
    ]),
  );
}

/** As the API shows it. The database writes the same for events (kelpie.payout_request_snapshot). */
export function payoutRequestBody(request: PayoutRequest) {
  return {
    id: request.id,
    object: 'payout_request' as const,
    environment: request.environment,
    status: request.state,
    idempotency_key: request.idempotencyKey,
    amount_gbp: formatPounds(request.amount),
    reference: request.reference,
    recipient: { name: request.recipientName, account_last4: request.accountLast4 },
    reasons: request.reasons,
    requested_via: request.requestedVia,
    requested_by: request.requestedBy,
    created_at: instantOf(request.id).toISOString(),
    expires_at: request.expiresAt.toISOString(),
    decided_at: request.decidedAt?.toISOString() ?? null,
    decided_by: request.decidedBy,
    payout_id: request.payoutId,
  };
}

/** As an error shows it: no name and no address of a person is in an error. */
export function requestInError({ id, state, reasons, expiresAt }: PayoutRequest) {
  return { id, status: state, reasons, expires_at: expiresAt.toISOString() };
}
