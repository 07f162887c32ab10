import { recordSecurityEvent } from '../../activity/index.ts';
import type { ActToConfirm, InConfirmedTransaction } from '../../platform/acts/confirmed-act.ts';
import { ApiError, sessionEnded } from '../../platform/api-error.ts';
import { inReadOnlyTransaction, type PartnerContext, type Transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';
import type { Origin } from '../../platform/origin.ts';
import { orderOfRequest, requestClosed } from '../creation/ask-for-approval.ts';
import { createPayout, type CreateDeps } from '../creation/create-payout.ts';
import { showPounds } from '../mails/shown-pounds.ts';
import { fingerprintOf, type PayoutOrder } from '../model/order.ts';
import { digestOfRequest, type PayoutRequest } from '../model/payout-request.ts';
import { decideRequest, findRequest, type RequestDecision } from '../records/payout-request-store.ts';
import { readBusiness } from '../spending/store.ts';

export interface DecideDeps extends CreateDeps {
  inConfirmedTransaction: InConfirmedTransaction;
}

/** Who decides, in which session. */
export interface DecidingAdmin extends PartnerContext {
  by: string;
  sessionId: string;
  requestId: string;
  origin: Origin;
}

export async function getRequest(tx: Transaction, id: string): Promise<PayoutRequest> {
  const request = await findRequest(tx, id);
  if (request === null) throw new ApiError({ code: 'not_found', message: 'No payout request has this id.' });
  return request;
}

const ownRequest = {
  code: 'second_admin_required',
  message: 'You asked for this payout, or created the API key that did. Another admin has to approve it.',
} as const;

function voidRequest(why: string, more: { internal?: string; cause?: unknown } = {}): ApiError {
  return new ApiError({
    ...more,
    code: 'payout_request_void',
    message: `${why} Nothing was sent. Decline this request, and create the payout with a new Idempotency-Key.`,
  });
}

function changed(internal: string, cause?: unknown): ApiError {
  return voidRequest('This request is not as it was asked for.', { internal, cause });
}

/** The order, if nothing of the request was changed since it was asked. It may have been asked under an earlier key. */
function unchangedOrder({ encryptor, bodyDigest }: DecideDeps, request: PayoutRequest): PayoutOrder {
  const digests = [bodyDigest.newest, ...bodyDigest.earlier];
  const asked = digests.find((digest) => digestOfRequest(digest, request).equals(request.digest));
  if (asked === undefined) throw changed('the request has another digest');
  let order: PayoutOrder;
  try {
    order = orderOfRequest(encryptor, request);
  } catch (error) {
    throw changed('its recipient is not ours', error);
  }
  const { recipient } = order;
  const shown = [`${recipient.firstName} ${recipient.lastName}`, recipient.accountNumber.slice(-4)];
  if (
    !fingerprintOf(asked, order).equals(request.fingerprint) ||
    shown[0] !== request.recipientName ||
    shown[1] !== request.accountLast4
  )
    throw changed('the order has another fingerprint');
  return order;
}

function payoutToConfirm(business: string, request: PayoutRequest): ActToConfirm | null {
  if (request.environment !== 'live') return null;
  const amount = showPounds(request.amount);
  const name = request.recipientName ?? '';
  return {
    act: JSON.stringify(['payout_request.approve', request.id, request.digest.toString('hex')]),
    business,
    does: `approve a payout of ${amount} from ${business} to ${name}`,
    facts: [
      ['Amount', amount],
      ['Recipient', name],
      ['Account', `ending in ${request.accountLast4 ?? ''}`],
      ...(request.reference === null ? [] : [['Reference', request.reference] as const]),
      ['Requested by', request.requestedBy],
      ['Expires on', showInstant(request.expiresAt)],
    ],
  };
}

function refusalOf(
  decided: Exclude<RequestDecision, 'approved' | 'declined' | 'was_approved'>,
  request: PayoutRequest,
) {
  switch (decided) {
    case 'own':
      return new ApiError(ownRequest);
    case 'not_found':
      return new ApiError({ code: 'not_found', message: 'No payout request has this id.' });
    case 'not_admin':
      return new ApiError(sessionEnded);
    case 'requester_gone':
      return voidRequest('The person who asked for this payout is no longer an admin.');
    case 'was_declined':
    case 'was_expired':
      return requestClosed({ ...request, state: decided === 'was_declined' ? 'declined' : 'expired' });
  }
}

/**
 * Approves a payout request and creates its payout, under the order id and the key that it was asked with. What would refuse
 * the payout refuses it now, and leaves the request open. One that was approved before is returned as it is.
 */
export async function approveRequest(
  deps: DecideDeps,
  admin: DecidingAdmin,
  { id, code }: { id: string; code: string | undefined },
): Promise<PayoutRequest> {
  const { partnerId, environment, sessionId } = admin;
  const of = { partnerId, environment };
  const plan = async (tx: Transaction) => {
    const request = await getRequest(tx, id);
    if (request.state === 'approved') return { request, order: null, toConfirm: null };
    if (request.state !== 'open') throw requestClosed(request);
    if (request.expiresAt <= deps.clock.now()) throw requestClosed({ ...request, state: 'expired' });
    if (request.requester === admin.by) throw new ApiError(ownRequest);
    const order = unchangedOrder(deps, request);
    return { request, order, toConfirm: payoutToConfirm(await readBusiness(tx, of), request) };
  };
  const approved = await deps.inConfirmedTransaction(admin, { code, plan }, of, async (tx, { request, order }) => {
    if (order === null) return { request, order };
    const decided = await decideRequest(tx, { id, sessionId, approves: true }, deps.clock.now());
    if (decided === 'was_approved') return { request, order: null };
    if (decided !== 'approved' && decided !== 'declined') throw refusalOf(decided, request);
    await recordSecurityEvent(tx, admin, { environment, action: 'payout_request.approve', status: 200, detail: id });
    return { request, order };
  });
  if (approved.order !== null) await payApproved(deps, admin, { request: approved.request, order: approved.order });
  return inReadOnlyTransaction(deps.pool, of, async (tx) => getRequest(tx, id));
}

async function payApproved(
  deps: DecideDeps,
  { requestId, sessionId }: DecidingAdmin,
  { request, order }: { request: PayoutRequest; order: PayoutOrder },
): Promise<void> {
  const { partnerId, environment, requestedVia: via, idempotencyKey } = request;
  try {
    await createPayout(deps, {
      partnerId,
      environment,
      requestId,
      payoutId: newId(deps.clock),
      via,
      // The session in which a member asked may have ended since.
      callerId: via === 'api' ? request.callerId : sessionId,
      by: request.requestedBy,
      idempotencyKey,
      order,
      confirmCode: null,
      approvedAs: request.fingerprint,
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Another approval is paying it, or this one took longer than a minute: the caller sees how it stands.
    if (error.code === 'idempotency_key_in_use' || error.code === 'approval_required') return;
    // It is the key that may no longer pay, not the admin.
    if (error.code === 'unauthorized' && via === 'api')
      throw voidRequest('The API key that asked for this payout can no longer pay.');
    if (error.code === 'invalid_amount' || error.code === 'idempotency_key_reused')
      throw voidRequest('This payout can no longer be created.', { cause: error });
    throw error;
  }
}

/** Declines a payout request, also one's own. Its Idempotency-Key pays nothing from then on. */
export async function declineRequest(
  { inConfirmedTransaction, clock, pool }: Pick<DecideDeps, 'inConfirmedTransaction' | 'clock' | 'pool'>,
  admin: DecidingAdmin,
  id: string,
): Promise<PayoutRequest> {
  const { partnerId, environment, sessionId } = admin;
  const of = { partnerId, environment };
  const plan = async (tx: Transaction) => ({ request: await getRequest(tx, id), toConfirm: null });
  await inConfirmedTransaction(admin, { code: undefined, plan }, of, async (tx, { request }) => {
    if (request.state === 'declined') return;
    const decided = await decideRequest(tx, { id, sessionId, approves: false }, clock.now());
    if (decided === 'was_declined') return;
    if (decided === 'approved' || decided === 'was_approved') throw requestClosed({ ...request, state: 'approved' });
    if (decided !== 'declined') throw refusalOf(decided, request);
    await recordSecurityEvent(tx, admin, { environment, action: 'payout_request.decline', status: 200, detail: id });
  });
  return inReadOnlyTransaction(pool, of, async (tx) => getRequest(tx, id));
}
