import type { Archive } from '../../archive/index.ts';
import { bankReference, encryptRecipientId, type PaymentOrder, type PaymentRecord } from '../../banks/index.ts';
import { ledgerEvents } from '../../ledger/index.ts';
import { formatUsdc, microUsdcPerCent } from '../../money/amounts.ts';
import { payoutCost, type PayoutCost } from '../../money/fees.ts';
import { usdcForPounds, type GbpPerUsd } from '../../money/rates.ts';
import { divideUp } from '../../money/rounding.ts';
import type { PartnerEnvironment, PaymentBlock } from '../../partners/index.ts';
import { tooBusy } from '../../platform/database/too-busy.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { ApiError, unauthorized } from '../../platform/api-error.ts';
import { bankOf } from '../model/banks.ts';
import { askForApproval, findRequestError, type RequestDeps } from './ask-for-approval.ts';
import { beginRound, putInQuestion, type Round } from './begin-round.ts';
import { askToConfirm, isToConfirm, orderToConfirm, wrongCode } from './confirmations.ts';
import { failureReasons } from '../model/failures.ts';
import { findReplay } from './find-replay.ts';
import { limitExceeded } from './limit-exceeded.ts';
import { notActive } from './not-active.ts';
import { notCreated, reasonOf } from './not-created.ts';
import { amountProblem } from '../pricing/limits.ts';
import {
  accountIndexOf,
  bankKeyOf,
  fallbackBankReference,
  fingerprintOf,
  orderIdOf,
  type GivenCode,
  type PayoutOrder,
} from '../model/order.ts';
import type { PayoutDeps } from '../lifecycle/deps.ts';
import { isVisible, type Payout, type VisiblePayout } from '../model/payout.ts';
import { rateAgesMs, type Rates } from '../pricing/rates.ts';
import { leaseMs, simulatedArrivalMs } from '../lifecycle/schedules.ts';
import { sealPayout } from '../records/encrypted-recipient.ts';
import { adoptPayment, sendPayout, type SendResult } from '../lifecycle/send-payout.ts';
import type { CreateOutcome, NewPayout } from '../records/create-payouts.ts';
import { findPaymentBlock } from '../records/find-payment-block.ts';
import { findAccountIndex } from '../records/find-account-index.ts';
import { findClaim, findPayout } from '../records/payout-store.ts';
import { resolveOrder } from '../records/resolve-order.ts';
import { inUse, waitForPayout } from '../reading/wait-for-payout.ts';

export interface CreateDeps extends PayoutDeps, RequestDeps {
  archive: Archive;
  rates: Rates;
}

/** An API key or a person asks, with a key of its own that stands for this one payout. */
export interface CreateRequest extends PartnerContext {
  requestId: string;
  /** What the payout is called. It is the request's own id, so that one trace has both. */
  payoutId: string;
  via: 'api' | 'dashboard';
  /** The API key that asks, or the session. */
  callerId: string;
  by: string;
  idempotencyKey: string;
  order: PayoutOrder;
  /** The code by which a person confirms it; an API key needs none. */
  confirmCode: string | null;
  /**
   * The fingerprint of the order that an admin approved within the last minute: the commit knows, and no code is asked for. Of an
   * earlier key, where keys are changed.
   */
  approvedAs?: Buffer;
  /** Called where the bank answered what the partner asked its sandbox for. */
  onAskedAnswer?: () => void;
}

export type Created =
  /** `isRecorded`: the commit that fixed the answer has written down that it was given. */
  | { kind: 'created'; payout: VisiblePayout; cost: PayoutCost; isRecorded: boolean }
  | { kind: 'replayed'; payout: VisiblePayout };

const recipientRejected = {
  code: 'recipient_account_rejected',
  message: "The bank rejected the recipient's account details. Nothing was sent. Check them and retry.",
} as const;

/** A payout happens once or not at all: this is where. */
export async function createPayout(
  deps: CreateDeps,
  request: CreateRequest,
  startedAt = performance.now(),
): Promise<Created> {
  const first = await tryToCreate(deps, request, startedAt);
  if (first !== 'rail_changed') return first;
  // What we remembered of the partner is no longer so. A rail changes once, when a sandbox is connected to its bank.
  deps.partnerEnvironments.forget(request);
  const second = await tryToCreate(deps, underAnotherId(deps, request), startedAt);
  if (second === 'rail_changed') throw notCreated('payments_paused', { internal: 'the rail changed again' });
  return second;
}

async function tryToCreate(
  deps: CreateDeps,
  request: CreateRequest,
  startedAt: number,
): Promise<Created | 'rail_changed'> {
  const partnerEnvironment = await deps.partnerEnvironments.get(request);
  const rate = await findRate(deps, partnerEnvironment, request.order);
  if (rate instanceof ApiError) {
    // What has been created is told even where it could not be created again.
    const existing = await findReplay(deps, request, startedAt);
    if (existing.kind === 'payout') return { kind: 'replayed', payout: existing.payout };
    throw rate;
  }
  if (needsCode(request)) {
    const existing = await findReplay(deps, request, startedAt);
    if (existing.kind === 'payout') return { kind: 'replayed', payout: existing.payout };
    throw await askConfirmation(deps, request, partnerEnvironment);
  }
  const cost = payoutCost(request.order.amount, rate, partnerEnvironment.prices);
  const making = { request, partnerEnvironment, rate, cost };
  const outcome = await claimAndCreate(deps, making);
  if (outcome.kind === 'exists') return replayOrAgain(deps, request, startedAt);
  if (outcome.kind === 'rail_changed') return 'rail_changed';
  if (outcome.kind !== 'created') throw await refuseCreation(deps, making, outcome);
  const { made, adopted, bankRound, firstTriedAt, bankRecipientEncrypted, isDuplicateSuspected } = outcome;
  const payout: Payout = {
    ...made.payout,
    bankRecipientEncrypted,
    bankRound,
    firstTriedAt,
    revision: 1,
    attempts: 1,
    bankRefunded: null,
    completedAt: null,
    isDuplicateSuspected,
  };
  if (isVisible(payout)) return { kind: 'created', payout, cost, isRecorded: true };
  const sent = await sendOrAdopt(deps, request, { payout, adopted });
  const isRecorded = sent.kind === 'recorded';
  return { kind: 'created', payout: await readSent(deps, payout, sent, startedAt), cost, isRecorded };
}

function needsCode(request: CreateRequest): boolean {
  return isToConfirm(request) && request.confirmCode === null && request.approvedAs === undefined;
}

async function askConfirmation(
  deps: CreateDeps,
  request: CreateRequest,
  { rail }: PartnerEnvironment,
): Promise<ApiError> {
  const asked = await findRequestError(deps, request);
  if (asked !== null) return asked;
  // What we remember of the partner is seconds old: no code is emailed for a payout that would be refused.
  const block = await findPaymentBlock(deps.calls, { ...request, rail });
  return block === null ? askToConfirm(deps, request) : refuseBlocked(deps, request, block);
}

async function sendOrAdopt(
  deps: CreateDeps,
  request: CreateRequest,
  { payout, adopted }: { payout: Payout; adopted: PaymentRecord | null },
): Promise<SendResult> {
  const sender = { by: request.by, requestId: request.requestId };
  if (adopted !== null) return adoptPayment(deps, payout, { sender, payment: adopted });
  const sent = await sendPayout(deps, payout, { sender, recipient: request.order.recipient });
  if (sent.isAskedFor) request.onAskedAnswer?.();
  return sent;
}

type ClaimOutcome =
  | Exclude<CreateOutcome, { kind: 'taken' | 'created' }>
  /** `adopted`: what the bank has for it already. */
  | (Extract<CreateOutcome, { kind: 'created' }> & { made: NewPayout; adopted: PaymentRecord | null })
  | Extract<Round, { kind: 'in_question' | 'not_searched' }>
  | { kind: 'exists' }
  | { kind: 'rail_changed' };

/** Reasons to refuse a new payout that can't undo one that the bank has paid already. */
const cannotCarry: ReadonlySet<string> = new Set([
  'insufficient_funds',
  'limit_exceeded',
  'partner_not_active',
  'rail_paused',
  'recovery',
]);

/** How often a key may change hands while we look at what it stands for. */
const mostClaims = 3;

/**
 * Creates the payout. A key that was used before is resolved first: an attempt of which nothing was sent is taken over,
 * and if another caller is quicker, we look again.
 */
async function claimAndCreate(deps: CreateDeps, making: Making): Promise<ClaimOutcome> {
  let claiming: Claiming = { made: await makePayout(deps, making), adopted: null };
  for (let claims = 1; claims <= mostClaims; claims += 1) {
    const { made, adopted } = claiming;
    const outcome = await deps.commits.create(made);
    if (outcome.kind === 'created') return { ...outcome, made, adopted };
    if (adopted !== null && cannotCarry.has(outcome.kind)) return putInQuestion(deps, made, adopted);
    if (outcome.kind !== 'taken') return outcome;
    const next = await resolveUsedKey(deps, making, made);
    if (next.kind !== 'claiming') return next;
    claiming = next;
  }
  throw inUse();
}

/** That of the stored claim, where it is of the same body under an earlier key. */
async function findKnownFingerprint(
  { calls, bodyDigest }: CreateDeps,
  { order }: CreateRequest,
  { payout, fingerprint }: NewPayout,
): Promise<Buffer> {
  if (bodyDigest.earlier.length === 0) return fingerprint;
  const claim = await findClaim(calls, payout, payout.orderId);
  const isOfBody = bodyDigest.earlier.some((digest) => claim?.fingerprint.equals(fingerprintOf(digest, order)));
  return isOfBody && claim !== null ? claim.fingerprint : fingerprint;
}

/**
 * The digest of the recipient's account. During a change of keys, the one that the account is known under until its rows have
 * been changed: its recipient at the bank, and whether it was paid before, hang on it.
 */
async function chooseAccountIndex({ calls, accountDigest }: CreateDeps, request: CreateRequest): Promise<Buffer> {
  const { recipient } = request.order;
  const newest = accountIndexOf(accountDigest.newest, recipient);
  if (accountDigest.earlier.length === 0) return newest;
  const earlier = accountDigest.earlier.map((digest) => accountIndexOf(digest, recipient));
  return findAccountIndex(calls, request, [newest, ...earlier]);
}

/** What is claimed next, and the payment that the bank has for it already. */
interface Claiming {
  made: NewPayout;
  adopted: PaymentRecord | null;
}

async function resolveUsedKey(
  deps: CreateDeps,
  making: Making,
  made: NewPayout,
): Promise<(Claiming & { kind: 'claiming' }) | { kind: 'exists' | 'in_question' | 'not_searched' }> {
  const { payout } = made;
  const fingerprint = await findKnownFingerprint(deps, making.request, made);
  const resolved = await resolveOrder(deps.calls, { ...payout, fingerprint, at: payout.updatedAt });
  if (resolved.kind === 'free') return { kind: 'claiming', made: { ...made, retry: null }, adopted: null };
  if (resolved.kind !== 'retry') return resolved;
  const round = await beginRound(deps, { made, order: making.request.order }, resolved);
  if (round.kind !== 'retry' && round.kind !== 'adopt') return round;
  // An attempt of this request may have been committed, and ended by another process, while its outcome was unknown.
  const isIdUsed = (await findPayout(deps.calls, payout, payout.id)) !== null;
  const request = isIdUsed ? underAnotherId(deps, making.request) : making.request;
  // Built again, because the search used up time of its lease.
  const again = { ...(await makePayout(deps, { ...making, request })), retry: round.retry };
  if (round.kind === 'retry') return { kind: 'claiming', made: again, adopted: null };
  return { kind: 'claiming', made: naming(deps, again, round.payment), adopted: round.payment };
}

/** The payout names the recipient that its payment was found to have. */
function naming({ encryptor }: CreateDeps, made: NewPayout, { recipientId }: PaymentRecord): NewPayout {
  if (recipientId === null) return made;
  const bankRecipientEncrypted = encryptRecipientId(encryptor, made.payout, recipientId);
  return { ...made, payout: { ...made.payout, bankRecipientEncrypted } };
}

/** The rate, where all is well; otherwise what stands in the way. */
async function findRate(
  deps: CreateDeps,
  partnerEnvironment: PartnerEnvironment,
  { amount }: PayoutOrder,
): Promise<ApiError | GbpPerUsd> {
  const { rail } = partnerEnvironment;
  const wrongAmount = amountProblem(amount, rail);
  const rate = wrongAmount === undefined ? await deps.rates.find(rail, rateAgesMs.payout) : null;
  // It would wait for its turn at the bank until nobody waits for it any more. Nothing is written for it.
  if (rate && deps.banks[rail]?.readiness?.() === 'busy') return tooBusy();
  if (rate) return rate;
  // The commit would have refused a partner that may not pay. That is told before anything about the order.
  if ((await findPaymentBlock(deps.calls, partnerEnvironment)) === 'partner_not_active')
    return notActive(deps.calls, partnerEnvironment);
  return wrongAmount === undefined ? notCreated('rate_stale', { internal: 'no rate' }) : new ApiError(wrongAmount);
}

function givenCode({ confirmations, bodyDigest }: CreateDeps, request: CreateRequest): GivenCode | null {
  if (request.confirmCode === null || !isToConfirm(request)) return null;
  return confirmations.given(orderToConfirm(bodyDigest.newest, request), request.confirmCode);
}

/** The key stands for a payout already. Where that one was undone meanwhile, the key is free, and it is our turn. */
async function replayOrAgain(deps: CreateDeps, request: CreateRequest, startedAt: number): Promise<Created> {
  const existing = await findReplay(deps, request, startedAt);
  switch (existing.kind) {
    case 'payout':
      return { kind: 'replayed', payout: existing.payout };
    case 'not_created':
      throw notCreated(existing.reason);
    case 'recipient_rejected':
      throw new ApiError(recipientRejected);
    case 'none':
      return createPayout(deps, underAnotherId(deps, request), startedAt);
  }
}

/** For a request that tries again: its first try may have been committed. */
function underAnotherId({ clock }: CreateDeps, request: CreateRequest): CreateRequest {
  return { ...request, payoutId: newId(clock) };
}

interface Making {
  request: CreateRequest;
  partnerEnvironment: PartnerEnvironment;
  rate: GbpPerUsd;
  cost: PayoutCost;
}

/** The payout as it is first written. On the simulated rail the answer is known at once, and this is all there is to write. */
async function makePayout(deps: CreateDeps, making: Making): Promise<NewPayout> {
  const { request, partnerEnvironment, cost, rate } = making;
  const { order } = request;
  const { recipient } = order;
  const at = deps.clock.now();
  const { payoutId: id } = request;
  const orderId = orderIdOf(request, request.idempotencyKey);
  const principal = usdcForPounds(order.amount, rate);
  const hold = ledgerEvents.hold({ principal, providerFee: cost.walletDebit - principal });
  const leasedUntil = new Date(at.getTime() + leaseMs);
  const { partnerId, environment } = request;
  const accountIndex = await chooseAccountIndex(deps, request);
  const sealed = { id, partnerId, environment, orderId, amount: order.amount, accountIndex };
  const made: NewPayout = {
    payout: {
      ...sealed,
      rail: partnerEnvironment.rail,
      state: 'sending',
      idempotencyKey: request.idempotencyKey,
      reference: order.reference,
      bankReference: bankReference(order.reference ?? '') ?? fallbackBankReference(orderId),
      fee: cost.fee,
      providerFee: cost.providerFee,
      walletDebit: cost.walletDebit,
      rate,
      pricePlan: partnerEnvironment.pricePlan,
      recipientName: `${recipient.firstName} ${recipient.lastName}`,
      accountLast4: recipient.accountNumber.slice(-4),
      recipientEncrypted: sealPayout(deps.encryptor, sealed, recipient),
      bankRecipientEncrypted: null,
      createdVia: request.via,
      createdBy: request.by,
      bankPaymentId: null,
      bankState: null,
      bankDebited: null,
      failureCode: null,
      failureReason: null,
      updatedAt: at,
    },
    callerId: request.callerId,
    confirmation: givenCode(deps, request),
    retry: null,
    fingerprint: request.approvedAs ?? fingerprintOf(deps.bodyDigest.newest, order),
    transfers: [{ id: newId(deps.clock), reason: 'payout.hold', lines: hold }],
    open: { leasedUntil, dueAt: leasedUntil },
    activity: null,
  };
  return partnerEnvironment.rail === 'simulated' ? simulate(deps, made, request) : made;
}

/** Nothing leaves the process for it, so the bank's answer is part of the first commit. */
async function simulate(deps: CreateDeps, made: NewPayout, request: CreateRequest): Promise<NewPayout> {
  const bank = bankOf(deps.banks, 'simulated');
  const { recipient } = request.order;
  const { payout } = made;
  const customer = { customerId: payout.partnerId, walletId: payout.partnerId };
  const registered = await bank.registerRecipient({ ...customer, recipient, idempotencyKey: payout.id });
  if (registered.kind !== 'registered') throw new Error('the simulated rail registers every recipient');
  const order: PaymentOrder = {
    partnerId: payout.partnerId,
    ...customer,
    recipientId: registered.recipientId,
    amount: payout.amount,
    bankReference: payout.bankReference,
    ourReference: payout.orderId,
    idempotencyKey: bankKeyOf({ orderId: payout.orderId, bankRound: 1 }),
    orderedAt: payout.updatedAt,
  };
  const sent = await bank.sendPayment(order);
  const activity = { id: request.requestId, status: 201 };
  const transfer = (reason: string, lines: ReturnType<typeof ledgerEvents.taken>) => ({
    id: newId(deps.clock),
    reason,
    lines,
  });
  if (sent.kind !== 'accepted') {
    const code = 'bank_rejected_details';
    const failed = { ...payout, state: 'failed', failureCode: code, failureReason: failureReasons[code] } as const;
    const released = transfer('payout.rejected', ledgerEvents.released({ held: payout.walletDebit }));
    return { ...made, payout: failed, transfers: [...made.transfers, released], open: null, activity };
  }
  const { payment } = sent;
  const byBank = payment.taken ?? payout.walletDebit;
  const accepted = {
    state: 'processing',
    bankPaymentId: payment.id,
    bankState: payment.bankState,
    bankDebited: byBank,
  } as const;
  const arrivesAt = new Date(payout.updatedAt.getTime() + simulatedArrivalMs);
  return {
    ...made,
    payout: { ...payout, ...accepted },
    transfers: [...made.transfers, transfer('payout.bank_accepted', ledgerEvents.taken({ byBank }))],
    open: { leasedUntil: payout.updatedAt, dueAt: arrivesAt },
    activity,
  };
}

/** A person has to look, which takes longer than a caller would wait. Another key would be another payout. */
function inQuestion(): ApiError {
  return new ApiError({
    code: 'idempotency_key_in_use',
    message:
      'An earlier attempt with this Idempotency-Key may have been paid. Kelpie is checking it with the bank. Do not pay again with another key. Retry in an hour.',
    retryAfterSeconds: 3_600,
    contactSupport: true,
  });
}

async function refuseBlocked({ calls }: CreateDeps, of: PartnerContext, block: PaymentBlock): Promise<ApiError> {
  switch (block) {
    case 'partner_not_active':
      return notActive(calls, of);
    case 'rail_paused':
      return notCreated('payments_paused', { internal: 'the rail is paused' });
    case 'recovery':
      return notCreated('recovery', { internal: 'the rail is closed for recovery' });
  }
}

async function refuseCreation(
  deps: CreateDeps,
  { request, cost }: Making,
  outcome: Exclude<ClaimOutcome, { kind: 'created' | 'exists' | 'rail_changed' }>,
): Promise<ApiError> {
  switch (outcome.kind) {
    case 'unauthorized':
      return new ApiError(unauthorized);
    case 'not_confirmed':
      return new ApiError(wrongCode);
    case 'approval_required':
      // The rules changed meanwhile, or the key has got its payout.
      return (await askForApproval(deps, request)) ?? inUse();
    case 'partner_not_active':
    case 'rail_paused':
    case 'recovery':
      return refuseBlocked(deps, request, outcome.kind);
    case 'in_question':
      return inQuestion();
    case 'not_searched':
      return notCreated('bank_unreachable', { internal: "the bank's list was not searched to its end" });
    case 'limit_exceeded':
      return limitExceeded(outcome.exceeded);
    case 'insufficient_funds': {
      const shortfall = cost.walletDebit - outcome.available;
      return new ApiError({
        code: 'insufficient_funds',
        message: `This payout needs ${formatUsdc(cost.walletDebit)} USDC and the wallet holds ${formatUsdc(outcome.available)} USDC. Top up the wallet and retry.`,
        details: {
          available_usdc: formatUsdc(outcome.available),
          required_usdc: formatUsdc(cost.walletDebit),
          // Up to the next cent: what is shown as missing must be enough.
          shortfall_usdc: formatUsdc(divideUp(shortfall, microUsdcPerCent) * microUsdcPerCent),
        },
      });
    }
  }
}

/** What the caller is told: what the second commit made of the payout, whoever it was by. */
async function readSent(deps: CreateDeps, payout: Payout, sent: SendResult, startedAt: number): Promise<VisiblePayout> {
  const isRecorded = sent.kind === 'recorded';
  if (isRecorded && sent.as === 'recipient_rejected') throw new ApiError({ ...recipientRejected, isRecorded });
  const now = await waitForPayout(deps, payout, startedAt);
  if (now === null || !isVisible(now)) throw notCreated(reasonOf(now), { isRecorded });
  return now;
}
