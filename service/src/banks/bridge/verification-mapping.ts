import type { HttpExchange } from '../http-exchange.ts';
import type { FindVerificationOutcome, StartVerificationOutcome, Verification } from '../port/customers.ts';
import { describeAnswer, isSuccess, bankErrorFrom } from './answers.ts';
import { parseJson, textAt, valueAt, webAddressAt } from './wire-values.ts';

// Bridge's KYC links in our words and back: with no network and no state, as in mapping.ts.

const states = new Map<string, Verification['state']>([
  ['not_started', 'action_required'],
  ['incomplete', 'action_required'],
  ['awaiting_questionnaire', 'action_required'],
  ['awaiting_ubo', 'action_required'],
  ['under_review', 'in_review'],
  ['approved', 'approved'],
  ['rejected', 'rejected'],
  // The bank has stopped and looks again: there is nothing that the business could do.
  ['paused', 'in_review'],
  ['offboarded', 'rejected'],
]);

const longestStatus = 100;
const longestReason = 300;
const mostReasons = 10;

export function kycLinkBody({
  name,
  email,
  redirectUrl,
}: {
  name: string;
  email: string;
  redirectUrl: string;
}): object {
  // Without the endorsement the customer could be paid, and pay nobody in pounds.
  const endorsements = ['faster_payments'];
  return { type: 'business', full_name: name, email, endorsements, redirect_uri: redirectUrl };
}

/** A word that we do not know is neither a yes nor a no, and the business can do nothing about it: the bank is at it. */
function stateFrom(kycStatus: string, tosStatus: string | undefined): Verification['state'] {
  const state = states.get(kycStatus) ?? 'in_review';
  if (state === 'rejected' || tosStatus === 'approved') return state;
  if (tosStatus === 'pending') return 'action_required';
  return state === 'approved' ? 'in_review' : state;
}

/** Texts in one example and objects in another. What is meant for us alone (`developer_reason`) is not taken. */
function reasonsFrom(body: unknown): string[] {
  const given = valueAt(body, 'rejection_reasons');
  if (!Array.isArray(given)) return [];
  return given
    .map((entry: unknown) => (typeof entry === 'string' ? entry : (textAt(entry, 'reason') ?? '')))
    .filter((reason) => reason !== '')
    .slice(0, mostReasons)
    .map((reason) => reason.slice(0, longestReason));
}

/** A KYC link as the bank tells it, or undefined where it is none. */
function verificationFrom(body: unknown): Verification | undefined {
  const id = textAt(body, 'id');
  const kycStatus = textAt(body, 'kyc_status');
  if (id === undefined || kycStatus === undefined) return undefined;
  const details = {
    id,
    continueUrl: webAddressAt(body, 'kyc_link'),
    termsUrl: webAddressAt(body, 'tos_link'),
    providerStatus: kycStatus.slice(0, longestStatus),
    reasons: reasonsFrom(body),
  };
  const state = stateFrom(kycStatus, textAt(body, 'tos_status'));
  const customerId = textAt(body, 'customer_id') ?? null;
  if (state !== 'approved') return { ...details, state, customerId };
  return customerId === null ? { ...details, state: 'in_review', customerId } : { ...details, state, customerId };
}

function sameName(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/**
 * The bank has a KYC link for this email already. It is ours from an earlier try only if it is this business's: else a
 * partner would be let in by what another one has shown.
 */
function existingFrom(answer: HttpExchange, name: string): Verification | undefined {
  if (bankErrorFrom(answer)?.code !== 'duplicate_record' || answer.kind !== 'answered') return undefined;
  const existing = valueAt(parseJson(answer.body), 'existing_kyc_link');
  const isOurs = textAt(existing, 'type') === 'business' && sameName(textAt(existing, 'full_name') ?? '', name);
  return isOurs ? verificationFrom(existing) : undefined;
}

export function startOutcome(answer: HttpExchange, { name }: { name: string }): StartVerificationOutcome {
  const started = isSuccess(answer) ? verificationFrom(parseJson(answer.body)) : existingFrom(answer, name);
  return started === undefined
    ? { kind: 'failed', text: describeAnswer(answer) }
    : { kind: 'started', verification: started };
}

export function findVerificationOutcome(answer: HttpExchange): FindVerificationOutcome {
  const verification = isSuccess(answer) ? verificationFrom(parseJson(answer.body)) : undefined;
  return verification === undefined
    ? { kind: 'unknown', text: describeAnswer(answer) }
    : { kind: 'found', verification };
}
