import {
  encryptRecipientId,
  openRecipientId,
  type Payment,
  type PaymentFailure,
  type Recipient,
  type SendOutcome,
} from '../../banks/index.ts';
import { ledgerEvents } from '../../ledger/index.ts';
import { instantOf } from '../../platform/ids.ts';
import { alarmOnCase } from './alarm-on-case.ts';
import { bankOf } from '../model/banks.ts';
import { failureReasons } from '../model/failures.ts';
import { applyPaymentUpdate, type Charging } from './apply-payment-update.ts';
import { caseOfDifference, differingFields, differsWord, namedRecipientOf, notSendableWord } from './compare-answer.ts';
import type { Activity, OpenCase, Transition, TransitionStep } from '../model/transition.ts';
import { bankKeyOf } from '../model/order.ts';
import type { PayoutDeps } from './deps.ts';
import type { Payout } from '../model/payout.ts';
import { closeOrPollAgain, nextRetry, refusalProvenAfterMs } from './schedules.ts';
import { searchPayment } from './search-payment.ts';
import { openSealedRecipient } from '../records/encrypted-recipient.ts';
import { findKnownRecipient } from '../records/find-known-recipient.ts';

/** Who asks the bank. */
export interface Sender {
  by: string;
  /** The request that waits to be answered. Null where a worker finishes what nobody waits for any more. */
  requestId: string | null;
}

export type SendResult = Recorded & {
  /** The bank answered what the partner asked its sandbox for. */
  isAskedFor: boolean;
};

type Recorded =
  /** This was the second commit, and what it made of the payout. */
  | { kind: 'recorded'; as: 'created' | 'not_created' | 'recipient_rejected' }
  /** Another was quicker: what is there now is what counts. */
  | { kind: 'lost' };

/** `not_registered`: the bank refused the recipient, and not for the account details. */
type NothingSent = 'recipient_rejected' | 'account_0000' | 'refused' | 'not_registered' | 'unreachable';

/** What came of asking the bank, registration included. */
type Asked =
  | { kind: 'accepted'; payment: Payment }
  /** Certainly nothing was sent this time. `kept`: the bank keeps this refusal under the order's key, and why. */
  | { kind: 'nothing_sent'; why: NothingSent; text: string; kept?: PaymentFailure }
  /** Certainly nothing was sent at any time: the bank refuses the order, and its list does not have it. */
  | { kind: 'never_sent'; why: NothingSent; text: string; kept: PaymentFailure }
  /** The bank accepted something, but by its answer not this order. */
  | { kind: 'differs'; openCase: OpenCase }
  | { kind: 'unknown'; isKeyRefused?: true; text: string };

interface Answer {
  asked: Asked;
  /** The recipient's id at the bank that the order names, where one was named. */
  named?: string;
  /** The same, encrypted, where it was registered just now. */
  registered?: Buffer;
  /** The bank refused the recipient that we knew: next time it is registered anew. */
  forget?: true;
  /** The partner asked its sandbox for this answer. */
  isAskedFor?: boolean;
}

/**
 * Asks the bank to pay, once, and records what it said: the second commit. The caller has counted this attempt in the
 * payout before, so a crash anywhere in here is known to have been a try.
 */
export async function sendPayout(
  deps: PayoutDeps,
  payout: Payout,
  { sender, recipient }: { sender: Sender; recipient?: Recipient },
): Promise<SendResult> {
  const details = recipient ?? openSealedRecipient(deps.encryptor, payout);
  const answer = await askBank(deps, payout, details);
  const asked = await weighRefusal(deps, payout, answer.asked);
  return record(deps, payout, sender, { ...answer, asked: believe(payout, asked, answer.named ?? null) });
}

/** An answer about another order, amount or account is none to this one. */
function believe(payout: Payout, asked: Asked, namedRecipientId: string | null): Asked {
  if (asked.kind !== 'accepted') return asked;
  const fields = differingFields(payout, asked.payment, namedRecipientId);
  return fields.length === 0 ? asked : { kind: 'differs', openCase: caseOfDifference(asked.payment, fields) };
}

/**
 * A refusal after a try whose answer was lost. The bank answers all tries of an order alike, and its list shows what it
 * has: where both say no, the hold can go back without a person.
 */
async function weighRefusal(deps: PayoutDeps, payout: Payout, asked: Asked): Promise<Asked> {
  if (asked.kind !== 'nothing_sent' || asked.kept === undefined || payout.attempts === 1) return asked;
  if (deps.clock.now().getTime() - payout.firstTriedAt.getTime() < refusalProvenAfterMs) return asked;
  const search = await searchPayment(deps, payout, { from: payout.firstTriedAt });
  switch (search.kind) {
    case 'found':
      return { kind: 'accepted', payment: search.payments[0] };
    case 'absent':
      return { ...asked, kind: 'never_sent', kept: asked.kept };
    case 'unknown':
      return asked;
  }
}

/**
 * The bank has the payment already: it is recorded as the bank's answer, and nothing is sent. What the bank took was by the
 * rate of another day, so a difference is for a person to look at, and no reason to stop other payments.
 */
export async function adoptPayment(
  deps: PayoutDeps,
  payout: Payout,
  { sender, payment }: { sender: Sender; payment: Payment },
): Promise<SendResult> {
  return record(deps, payout, sender, { asked: { kind: 'accepted', payment } }, { blockPartner: false });
}

async function record(
  deps: PayoutDeps,
  payout: Payout,
  sender: Sender,
  answer: Answer,
  change: Pick<Transition, 'blockPartner'> = {},
): Promise<SendResult> {
  const markups = await deps.markups.get(payout.pricePlan);
  const { transition, as } = secondCommit({ at: deps.clock.now(), markups }, payout, sender, answer);
  const { asked, isAskedFor = false } = answer;
  if (asked.kind !== 'accepted') raiseAlarm(deps, payout, { asked, isAskedFor });
  alarmOnCase(deps.logger, payout.id, transition.openCase);
  const isOurs = await deps.commits.recordAnswer({ payout, transition: { ...transition, ...change } });
  return isOurs ? { kind: 'recorded', as, isAskedFor } : { kind: 'lost', isAskedFor };
}

/**
 * The bank has the payment of an attempt whose sender is gone: it is recorded as the answer to that attempt, and nothing is
 * sent.
 */
export async function recordFound(
  deps: PayoutDeps,
  payout: Payout,
  { sender, payment }: { sender: Sender; payment: Payment },
): Promise<SendResult> {
  const asked = believe(payout, { kind: 'accepted', payment }, namedRecipientOf(deps, payout));
  return record(deps, payout, sender, { asked });
}

const whyNotRegistered = {
  rejected: 'recipient_rejected',
  refused: 'not_registered',
  failed: 'unreachable',
} as const;

async function askBank(deps: PayoutDeps, payout: Payout, recipient: Recipient): Promise<Answer> {
  const { banks, partnerEnvironments, clock } = deps;
  const bank = bankOf(banks, payout.rail);
  const { bankCustomerId: customerId, bankWalletId: walletId } = await partnerEnvironments.get(payout);
  let recipientId = openNamedRecipient(deps, payout);
  let registered: Buffer | undefined;
  if (recipientId === null && payout.attempts > 1) {
    // Registered for another payout since, or by an attempt that could not record it.
    const known = await findKnownRecipient(deps.calls, payout);
    recipientId = known === null ? null : openRecipientId(deps.encryptor, payout, known);
    if (recipientId !== null) registered = encryptRecipientId(deps.encryptor, payout, recipientId);
  }
  if (recipientId === null) {
    // A new key each day: the bank refuses an old one, nothing is paid here, and it knows a recipient that it has.
    const idempotencyKey = `${payout.id}-${clock.now().toISOString().slice(0, 10)}`;
    const outcome = await bank.registerRecipient({ customerId, recipient, idempotencyKey });
    if (outcome.kind !== 'registered') {
      return { asked: { kind: 'nothing_sent', why: whyNotRegistered[outcome.kind], text: outcome.text } };
    }
    recipientId = outcome.recipientId;
    registered = encryptRecipientId(deps.encryptor, payout, recipientId);
  }
  const sent = await bank.sendPayment({
    partnerId: payout.partnerId,
    customerId,
    walletId,
    recipientId,
    amount: payout.amount,
    bankReference: payout.bankReference,
    ourReference: payout.orderId,
    idempotencyKey: bankKeyOf(payout),
    orderedAt: instantOf(payout.id),
  });
  const asked = readOutcome(payout, sent);
  const named = recipientId;
  const answer = { asked, named, isAskedFor: sent.isAskedFor === true };
  if (sent.kind === 'rejected' && sent.reason !== 'insufficient_funds') return { ...answer, forget: true };
  // Under a key that the bank refuses, an earlier try may have named another recipient: that one stays unknown.
  const isOther = sent.kind === 'unknown' && sent.isKeyRefused === true;
  return registered === undefined || isOther ? answer : { ...answer, registered };
}

/** A recipient that does not open is not of this account: it is registered anew, and nothing is sent to it. */
function openNamedRecipient(deps: PayoutDeps, payout: Payout): string | null {
  const recipientId = namedRecipientOf(deps, payout);
  if (recipientId === null && payout.bankRecipientEncrypted !== null)
    deps.logger.error({ payout_id: payout.id }, 'payout.recipient_unreadable');
  return recipientId;
}

function readOutcome({ environment, accountLast4 }: Payout, sent: SendOutcome): Asked {
  switch (sent.kind) {
    case 'accepted':
    case 'unknown':
      return sent;
    case 'unreachable':
      return { kind: 'nothing_sent', why: 'unreachable', text: sent.text };
    case 'rejected': {
      const isTestFailure = environment === 'sandbox' && accountLast4 === '0000' && sent.reason === 'account_details';
      const why = isTestFailure ? 'account_0000' : 'refused';
      const failure = sent.reason === 'account_details' ? 'bank_rejected_details' : 'unknown';
      return { kind: 'nothing_sent', why, text: sent.text, ...(sent.isKept ? { kept: failure } : {}) };
    }
  }
}

/** The bank said no to a first try, which it should not; or it says no to what it may have accepted before. */
function raiseAlarm(
  { logger }: PayoutDeps,
  { id, attempts }: Payout,
  { asked, isAskedFor }: { asked: Exclude<Asked, { kind: 'accepted' }>; isAskedFor: boolean },
): void {
  const why = asked.kind === 'unknown' || asked.kind === 'differs' ? asked.kind : asked.why;
  const line = { payout_id: id, attempt: attempts, action: why };
  if (why === 'refused' && !isAskedFor) logger.error(line, 'payout.refused_by_bank');
  else logger.warn(line, 'payout.not_accepted');
}

type SecondCommit = { transition: Transition; as: 'created' | 'not_created' | 'recipient_rejected' };

function secondCommit(charging: Charging, payout: Payout, sender: Sender, answer: Answer): SecondCommit {
  const { at } = charging;
  const { asked, registered } = answer;
  const common = {
    at,
    by: sender.by,
    ...(registered === undefined ? {} : { recipientEncrypted: registered }),
    ...(answer.forget === undefined ? {} : { forgetRecipient: true }),
  };
  const { requestId } = sender;
  const activity = (answered: number): { activity?: Activity } => {
    if (payout.state !== 'sending') return {};
    const status = requestId === null ? null : answered;
    return { activity: { action: 'payout.create', requestId, status, by: payout.createdBy } };
  };

  if (asked.kind === 'accepted') {
    const { isOver, ...update } = applyPaymentUpdate(payout, asked.payment, charging);
    const schedule = closeOrPollAgain(payout, at, isOver);
    return { as: 'created', transition: { ...common, ...update, schedule, ...activity(201) } };
  }
  if (asked.kind === 'never_sent' && payout.state === 'pending')
    return { as: 'created', transition: { ...common, ...refusedInTheEnd(payout, asked), schedule: { kind: 'close' } } };
  if (asked.kind === 'differs') {
    const { openCase } = asked;
    const steps = [{ to: 'pending', what: differsWord, detail: null, lines: [] }] satisfies TransitionStep[];
    const schedule = { kind: 'watch' as const, dueAt: nextRetry(at, instantOf(payout.id)) };
    const bankFacts = { bankState: differsWord };
    return { as: 'created', transition: { ...common, steps, bankFacts, openCase, schedule, ...activity(201) } };
  }
  // A no after a try whose fate is not known proves nothing by itself: that one may have been accepted.
  if (asked.kind === 'unknown' || (asked.kind === 'nothing_sent' && payout.attempts > 1)) {
    const steps = [{ to: 'pending', what: 'not_known', detail: asked.text, lines: [] }] satisfies TransitionStep[];
    const schedule = { kind: 'watch' as const, dueAt: nextRetry(at, instantOf(payout.id)) };
    const isSendable = asked.kind === 'unknown' ? asked.isKeyRefused !== true : asked.why !== 'recipient_rejected';
    const bankFacts = isSendable ? {} : { bankState: notSendableWord };
    return { as: 'created', transition: { ...common, steps, bankFacts, schedule, ...activity(201) } };
  }
  return nothingSent(payout, asked, { ...common, schedule: { kind: 'close' } }, activity);
}

/** Its partner has seen it, so it stays, as failed. */
function refusedInTheEnd(
  { walletDebit }: Payout,
  { text, kept: code }: Extract<Asked, { kind: 'never_sent' }>,
): Pick<Transition, 'steps' | 'bankFacts'> {
  const lines = ledgerEvents.released({ held: walletDebit });
  const reason = code === 'unknown' ? 'The bank refused the payment.' : failureReasons[code];
  return { steps: [{ to: 'failed', what: 'rejected', detail: text, lines }], bankFacts: { failure: { code, reason } } };
}

function nothingSent(
  payout: Payout,
  { why, text }: Extract<Asked, { kind: 'nothing_sent' | 'never_sent' }>,
  common: Pick<Transition, 'at' | 'by' | 'schedule'>,
  activity: (status: number) => { activity?: Activity },
): SecondCommit {
  const lines = ledgerEvents.released({ held: payout.walletDebit });
  if (why === 'account_0000') {
    const code = 'bank_rejected_details';
    const steps = [{ to: 'failed', what: 'rejected', detail: code, lines }] satisfies TransitionStep[];
    const bankFacts = { failure: { code, reason: failureReasons[code] } } as const;
    return { as: 'created', transition: { ...common, steps, bankFacts, ...activity(201) } };
  }
  const steps = [{ to: 'not_created', what: 'not_created', detail: text, lines }] satisfies TransitionStep[];
  if (why === 'recipient_rejected')
    return {
      as: 'recipient_rejected',
      transition: { ...common, steps, bankFacts: {}, freeKey: true, ...activity(422) },
    };
  // Kept with the attempt, for callers with the same key who wait for its answer.
  const bankFacts = why === 'unreachable' ? {} : { bankState: 'refused' };
  return { as: 'not_created', transition: { ...common, steps, bankFacts, ...activity(502) } };
}
