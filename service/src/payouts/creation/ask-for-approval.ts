import { recordActivity } from '../../activity/index.ts';
import { getAccount } from '../../partners/index.ts';
import type { NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Pool } from '../../platform/database/pool.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import {
  inReadOnlyTransaction,
  inTransaction,
  type PartnerContext,
  type Transaction,
} from '../../platform/database/transaction.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import { newId } from '../../platform/ids.ts';
import type { VersionedDigest } from '../../platform/keyed-digest.ts';
import { payoutRequestMail } from '../mails/payout-request.ts';
import { accountIndexOf, fingerprintOf, mismatchedFields, orderIdOf, type PayoutOrder } from '../model/order.ts';
import { digestOfRequest, openForMs, requestInError, type PayoutRequest } from '../model/payout-request.ts';
import { encryptRecipient, openRecipient } from '../records/encrypted-recipient.ts';
import { findKeyCreator, findRequest, findRequestOfOrder, openRequest } from '../records/payout-request-store.ts';
import { isToConfirm, orderToConfirm, wrongCode, type Confirmations } from './confirmations.ts';

/** What it takes to record that a payout waits for a second admin. */
export interface RequestDeps {
  pool: Pool;
  calls: SingleCalls;
  clock: Clock;
  encryptor: Encryptor;
  /** Digests of accounts, and of bodies. */
  accountDigest: VersionedDigest;
  bodyDigest: VersionedDigest;
  confirmations: Confirmations;
  notifyAdmins: NotifyAdmins;
  /** Where the queue is: emails lead there. */
  dashboardUrl: string;
}

interface AskedPayout extends PartnerContext {
  requestId: string;
  via: 'api' | 'dashboard';
  callerId: string;
  by: string;
  idempotencyKey: string;
  order: PayoutOrder;
  confirmCode: string | null;
}

/** Past this many in an hour, approvers find them in the queue alone. The database counts as far. */
const mostMailsPerHour = 20;

/** The order that a request was asked with. Its details are kept until it is decided. */
export function orderOfRequest(encryptor: Encryptor, request: PayoutRequest): PayoutOrder {
  const { amount, reference } = request;
  return { amount, country: 'GB', reference, recipient: openRecipient(encryptor, request, 'payout_requests') };
}

const closed = {
  open: 'This payout waits for approval.',
  approved: 'This payout was approved. Cancel the payout if it should not be paid.',
  declined: 'This payout was declined. Nothing was sent. To ask again, create it with a new Idempotency-Key.',
  expired:
    'This payout expired before anyone approved it. Nothing was sent. To ask again, create it with a new Idempotency-Key.',
} as const satisfies Record<PayoutRequest['state'], string>;

export function requestClosed(request: PayoutRequest): ApiError {
  return new ApiError({
    code: 'payout_request_closed',
    message: closed[request.state],
    details: { payout_request: requestInError(request) },
  });
}

/** What the key of a request is answered, until its payout is created. Another body under it is refused. */
function errorOf({ encryptor, bodyDigest }: RequestDeps, request: PayoutRequest, order: PayoutOrder): ApiError {
  const { newest, earlier } = bodyDigest;
  if (![newest, ...earlier].some((digest) => fingerprintOf(digest, order).equals(request.fingerprint))) {
    // The details of a request that was decided are gone.
    const first = request.state === 'open' ? orderOfRequest(encryptor, request) : null;
    return new ApiError({
      code: 'idempotency_key_reused',
      message: 'This Idempotency-Key was already used with a different body. Use a new key for a new payout.',
      details: { mismatched: first === null ? [] : mismatchedFields(first, order) },
    });
  }
  if (request.state !== 'open') return requestClosed(request);
  return new ApiError({
    code: 'approval_required',
    message: 'Another admin has to approve this payout. Nothing was sent yet. Retry with the same Idempotency-Key.',
    details: { payout_request: requestInError(request) },
  });
}

/** How the key of a request is answered without asking for anything; null where it has none that counts. */
export async function findRequestError(deps: RequestDeps, asked: AskedPayout): Promise<ApiError | null> {
  const { partnerId, environment, order } = asked;
  const of = { partnerId, environment };
  const orderId = orderIdOf(of, asked.idempotencyKey);
  const known = await inReadOnlyTransaction(deps.pool, of, async (tx) => findRequestOfOrder(tx, orderId));
  return known === null || known.state === 'approved' ? null : errorOf(deps, known, order);
}

/** Undoes what it is thrown in: a code that was right is right again. */
class NotNeeded extends Error {}

/**
 * Records that a payout waits for a second admin, with its event, its activity and the emails to those who can approve it. Gives
 * the refusal that says so; null where the rules no longer ask for it. A person's code is judged in the same commit.
 */
export async function askForApproval(deps: RequestDeps, asked: AskedPayout): Promise<ApiError | null> {
  const known = await findRequestError(deps, asked);
  if (known !== null) return known;
  const { name: business } = await getAccount(deps.calls, asked);
  const { partnerId, environment } = asked;
  try {
    const refusal = await inTransaction(deps.pool, { partnerId, environment }, async (tx) => {
      if (isToConfirm(asked)) {
        const toConfirm = orderToConfirm(deps.bodyDigest.newest, asked);
        // Committed, so that the guess counts.
        if (!(await deps.confirmations.use(tx, toConfirm, asked.confirmCode ?? ''))) return new ApiError(wrongCode);
      }
      return openIn(tx, deps, { ...asked, business });
    });
    return refusal;
  } catch (error) {
    if (error instanceof NotNeeded) return findRequestError(deps, asked);
    throw error;
  }
}

async function openIn(
  tx: Transaction,
  deps: RequestDeps,
  asked: AskedPayout & { business: string },
): Promise<ApiError> {
  const { partnerId, environment, order, via, callerId, by, idempotencyKey, business } = asked;
  const at = deps.clock.now();
  const id = newId(deps.clock);
  const { recipient } = order;
  const request = {
    id,
    orderId: orderIdOf(asked, idempotencyKey),
    idempotencyKey,
    fingerprint: fingerprintOf(deps.bodyDigest.newest, order),
    amount: order.amount,
    reference: order.reference,
    recipientName: `${recipient.firstName} ${recipient.lastName}`,
    accountLast4: recipient.accountNumber.slice(-4),
    recipientEncrypted: encryptRecipient(deps.encryptor, id, recipient, 'payout_requests'),
    accountIndex: accountIndexOf(deps.accountDigest.newest, recipient),
    requestedVia: via,
    callerId,
    requestedBy: by,
    requester: via === 'dashboard' ? by : await findKeyCreator(tx, callerId),
    expiresAt: new Date(at.getTime() + openForMs),
  };
  const digest = digestOfRequest(deps.bodyDigest.newest, { ...request, partnerId, environment });
  const opened = await openRequest(tx, { ...request, digest }, at);
  switch (opened.kind) {
    case 'known':
    case 'not_needed':
      throw new NotNeeded();
    case 'too_many':
      return new ApiError({
        code: 'rate_limited',
        message:
          '500 payouts wait for approval. Ask an admin to decide them, then retry with the same Idempotency-Key.',
        retryAfterSeconds: 3_600,
      });
    case 'opened':
      break;
  }
  const made = await findRequest(tx, id);
  if (made === null) throw new Error('a payout request is not there');
  if (opened.askedLately < mostMailsPerHour) {
    const isLastMail = opened.askedLately === mostMailsPerHour - 1;
    const message = payoutRequestMail({ ...made, business, isLastMail, dashboardUrl: deps.dashboardUrl });
    await deps.notifyAdmins(tx, { kind: 'payout-request', message, except: [made.requester] });
  }
  const done = { action: 'payout.create', status: 422, by, detail: 'approval_required' };
  await recordActivity(tx, { id: asked.requestId, partnerId, environment, ...done });
  return new ApiError({
    code: 'approval_required',
    message: 'Another admin has to approve this payout. Nothing was sent yet. Retry with the same Idempotency-Key.',
    details: { payout_request: requestInError(made) },
    isRecorded: true,
  });
}
