import type { PaymentFailure } from '../banks/index.ts';
import type { Line } from '../ledger/index.ts';
import type { Clock } from '../platform/clock.ts';
import { raisedBy, type Call, type SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/ids.ts';
import type { Activity, Move } from './move.ts';
import { isOrderId } from './order.ts';
import type { Payout, PayoutState } from './payout.ts';

/** A function of the database by its name, with so many arguments. */
function functionCall(name: string, size: number): Call {
  const places = Array.from({ length: size }, (_, at) => `$${at + 1}`);
  return { name, text: `select * from kelpie.${name}(${places.join(', ')})` };
}

/** Every call that the life of a payout makes: each is a commit of its own, and a moment at which a process can die. */
export const payoutCalls = {
  createPayout: functionCall('create_payout', 38),
  movePayout: functionCall('move_payout', 35),
  giveBack: functionCall('give_back_open_payout', 4),
  takeOpen: functionCall('take_open_payouts', 3),
  findPayout: functionCall('find_payout', 3),
  findClaim: functionCall('find_claim', 3),
  listPayouts: functionCall('list_payouts', 3),
  hint: functionCall('hint_payout', 4),
  listSidesAtBanks: functionCall('list_sides_at_banks', 2),
  keepUnmatched: {
    name: 'keep_unmatched_event',
    text: `insert into kelpie.unmatched_bank_events (environment, event_id, payment_id, order_id, received_at, due_at)
           values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
  },
  takeUnmatched: {
    name: 'take_unmatched_events',
    text: `update kelpie.unmatched_bank_events e
           set tries = e.tries + 1, due_at = $1::timestamptz + make_interval(secs => 2 ^ least(e.tries, 12))
           from (
             select environment, event_id from kelpie.unmatched_bank_events
             where due_at <= $1 order by due_at limit $2 for update skip locked
           ) due
           where e.environment = due.environment and e.event_id = due.event_id
           returning e.environment, e.event_id, e.payment_id, e.order_id, e.tries`,
  },
  dropUnmatched: {
    name: 'drop_unmatched_event',
    text: 'delete from kelpie.unmatched_bank_events where environment = $1 and event_id = $2',
  },
} as const satisfies Record<string, Call>;

interface PayoutRow {
  id: string;
  partner_id: string;
  environment: Payout['environment'];
  rail: Payout['rail'];
  state: PayoutState;
  revision: number;
  attempts: number;
  order_id: string;
  bank_round: number;
  first_tried_at: Date;
  reference: string | null;
  bank_reference: string;
  amount_pence: string;
  fee_pence: string;
  bank_share_pence: string;
  wallet_sends_micro_usdc: string;
  gbp_per_usd_millionths: string;
  recipient_name: string;
  account_last4: string;
  recipient_sealed: Buffer;
  created_via: Payout['createdVia'];
  created_by: string;
  bank_payment_id: string | null;
  bank_state: string | null;
  bank_took_micro_usdc: string | null;
  bank_refunded_micro_usdc: string | null;
  failure_code: PaymentFailure | null;
  failure_reason: string | null;
  updated_at: Date;
}

function bigintOrNull(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}

function payoutFrom(row: PayoutRow): Payout {
  return {
    id: row.id,
    partnerId: row.partner_id,
    environment: row.environment,
    rail: row.rail,
    state: row.state,
    revision: row.revision,
    attempts: row.attempts,
    orderId: row.order_id,
    bankRound: row.bank_round,
    firstTriedAt: row.first_tried_at,
    reference: row.reference,
    bankReference: row.bank_reference,
    amount: BigInt(row.amount_pence),
    fee: BigInt(row.fee_pence),
    bankShare: BigInt(row.bank_share_pence),
    walletSends: BigInt(row.wallet_sends_micro_usdc),
    rate: BigInt(row.gbp_per_usd_millionths),
    recipientName: row.recipient_name,
    accountLast4: row.account_last4,
    recipientSealed: row.recipient_sealed,
    createdVia: row.created_via,
    createdBy: row.created_by,
    bankPaymentId: row.bank_payment_id,
    bankState: row.bank_state,
    bankTook: bigintOrNull(row.bank_took_micro_usdc),
    bankRefunded: bigintOrNull(row.bank_refunded_micro_usdc),
    failureCode: row.failure_code,
    failureReason: row.failure_reason,
    updatedAt: row.updated_at,
  };
}

export async function findPayout(calls: SingleCalls, of: PartnerContext, payoutId: string): Promise<Payout | null> {
  const [row] = await calls.call<PayoutRow>(payoutCalls.findPayout, [of.partnerId, of.environment, payoutId]);
  return row === undefined ? null : payoutFrom(row);
}

/** The newest that a partner may see. */
export async function listPayouts(calls: SingleCalls, of: PartnerContext, limit: number): Promise<Payout[]> {
  const rows = await calls.call<PayoutRow>(payoutCalls.listPayouts, [of.partnerId, of.environment, limit]);
  return rows.map(payoutFrom);
}

/** The payout that an idempotency key stands for, and the fingerprint of its body. */
export interface Claim {
  payoutId: string;
  fingerprint: Buffer;
}

export async function findClaim(calls: SingleCalls, of: PartnerContext, orderId: string): Promise<Claim | null> {
  const [row] = await calls.call<{ payout_id: string; fingerprint: Buffer }>(payoutCalls.findClaim, [
    of.partnerId,
    of.environment,
    orderId,
  ]);
  return row === undefined ? null : { payoutId: row.payout_id, fingerprint: row.fingerprint };
}

/** A transfer of the payout's, before the database has posted it. */
interface NewTransfer {
  id: string;
  reason: string;
  lines: readonly Line[];
}

/** The columns of the entries, as the database takes them. */
function columnsOf(transfers: readonly NewTransfer[]): unknown[] {
  const entries = transfers.flatMap(({ id, reason, lines }) =>
    lines.map((line, at) => ({ id, reason, line, number: at + 1 })),
  );
  return [
    entries.map(({ id }) => id),
    entries.map(({ number }) => number),
    entries.map(({ line }) => line.account),
    entries.map(({ line }) => line.amount.toString()),
    entries.map(({ reason }) => reason),
  ];
}

/** A payout as it is first written, with the transfers and the answer that are known by then. */
export interface NewPayout {
  payout: Omit<Payout, 'bankRound' | 'firstTriedAt' | 'revision' | 'attempts' | 'bankRefunded'>;
  keyId: string;
  idempotencyKey: string;
  fingerprint: Buffer;
  accountIndex: Buffer;
  pricePlan: string;
  transfers: readonly NewTransfer[];
  /** Null where nothing is left to be looked after. */
  open: { leasedUntil: Date; dueAt: Date } | null;
  /** Where this commit fixes the answer. */
  activity: { id: string; status: number } | null;
}

export type InsertOutcome =
  | { kind: 'created'; bankRound: number; firstTriedAt: Date; bankRecipientId: string | null }
  | { kind: 'exists'; claim: Claim }
  | { kind: 'unauthorized' }
  | { kind: 'insufficient_funds'; available: bigint }
  | { kind: 'partner_not_active' }
  /** A person has to look first what became of an earlier try. */
  | { kind: 'in_question' }
  | { kind: 'rail_paused' };

interface CreatedRow {
  outcome: 'created' | 'exists' | 'unauthorized';
  payout_id: string;
  fingerprint: Buffer;
  bank_recipient_id: string | null;
  bank_round: number;
  first_tried_at: Date;
}

function argumentsOf({ payout, ...made }: NewPayout): unknown[] {
  return [
    payout.partnerId,
    payout.environment,
    made.keyId,
    payout.id,
    payout.orderId,
    made.idempotencyKey,
    made.fingerprint,
    payout.updatedAt,
    payout.rail,
    payout.state,
    payout.reference,
    payout.bankReference,
    payout.amount,
    payout.fee,
    payout.bankShare,
    payout.walletSends,
    payout.rate,
    made.pricePlan,
    payout.recipientName,
    payout.accountLast4,
    payout.recipientSealed,
    made.accountIndex,
    payout.createdVia,
    payout.createdBy,
    payout.bankPaymentId,
    payout.bankState,
    payout.bankTook,
    payout.failureCode,
    payout.failureReason,
    made.open?.leasedUntil,
    made.open?.dueAt,
    ...columnsOf(made.transfers),
    made.activity?.id,
    made.activity?.status,
  ];
}

/** What the function refuses by an error, which undoes all that it did. */
function refusalFrom(error: unknown): InsertOutcome | undefined {
  const raised = raisedBy(error);
  if (raised === undefined) return undefined;
  switch (raised.code) {
    case 'KP402':
      return { kind: 'insufficient_funds', available: BigInt(raised.detail ?? 0) };
    case 'KP403':
      return { kind: 'partner_not_active' };
    case 'KP409':
      return { kind: 'in_question' };
    case 'KP502':
      return { kind: 'rail_paused' };
    default:
      return undefined;
  }
}

/** The first commit of a payout, in one round trip. */
export async function insertPayout(calls: SingleCalls, made: NewPayout): Promise<InsertOutcome> {
  try {
    const [row] = await calls.call<CreatedRow>(payoutCalls.createPayout, argumentsOf(made));
    if (row === undefined) throw new Error('the database made no answer');
    if (row.outcome === 'unauthorized') return { kind: 'unauthorized' };
    if (row.outcome === 'exists')
      return { kind: 'exists', claim: { payoutId: row.payout_id, fingerprint: row.fingerprint } };
    const { bank_round: bankRound, first_tried_at: firstTriedAt, bank_recipient_id: bankRecipientId } = row;
    return { kind: 'created', bankRound, firstTriedAt, bankRecipientId };
  } catch (error) {
    const refusal = refusalFrom(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

function activityArguments(activity: Activity | undefined, id: string): unknown[] {
  return activity === undefined ? [null, null, null, null] : [id, activity.action, activity.status, activity.by];
}

/** Any later commit of a payout. False where it has changed since it was read: then nothing was done. */
export async function movePayout(calls: SingleCalls, clock: Clock, payout: Payout, move: Move): Promise<boolean> {
  const { learned, openCase } = move;
  const steps = move.steps.map((step) => ({ ...step, transferId: step.lines.length === 0 ? null : newId(clock) }));
  const transfers = steps.flatMap(({ transferId, what, lines }) =>
    transferId === null ? [] : [{ id: transferId, reason: `payout.${what}`, lines }],
  );
  const [row] = await calls.call<{ move_payout: boolean }>(payoutCalls.movePayout, [
    payout.partnerId,
    payout.environment,
    payout.id,
    payout.revision,
    move.at,
    move.by,
    steps.map(({ to }) => to),
    steps.map(({ what }) => what),
    steps.map(({ detail }) => detail),
    steps.map(({ transferId }) => transferId),
    learned.attempts,
    learned.bankPaymentId,
    learned.bankState,
    learned.bankTook,
    learned.bankRefunded,
    learned.failure?.code,
    learned.failure?.reason,
    move.afterwards.kind,
    move.afterwards.kind === 'watch' ? move.afterwards.dueAt : null,
    ...columnsOf(transfers),
    ...activityArguments(move.activity, newId(clock)),
    openCase === undefined ? null : newId(clock),
    openCase?.kind,
    openCase?.detail,
    move.pauseRail ?? false,
    move.knownRecipientId,
    move.forgetRecipient ?? false,
    move.freeKey ?? false,
  ]);
  return row?.move_payout === true;
}

/** Ends a lease without a change: the payout is due again then, or never. */
export async function giveBackOpenPayout(
  calls: SingleCalls,
  payout: PartnerContext & { id: string },
  dueAt: Date | null,
): Promise<void> {
  await calls.call(payoutCalls.giveBack, [payout.partnerId, payout.environment, payout.id, dueAt]);
}

export interface OpenPayout extends PartnerContext {
  payoutId: string;
  /** The bank's id of its payment, where a webhook told us before the bank's own answer did. */
  hintedPaymentId: string | null;
}

interface OpenRow {
  payout_id: string;
  partner_id: string;
  environment: PartnerContext['environment'];
  hinted_payment_id: string | null;
}

/** Open payouts that are due, of any partner. They are the caller's until the lease ends. */
export async function takeOpenPayouts(
  calls: SingleCalls,
  { now, leaseMs, most }: { now: Date; leaseMs: number; most: number },
): Promise<OpenPayout[]> {
  const rows = await calls.call<OpenRow>(payoutCalls.takeOpen, [now, `${leaseMs} milliseconds`, most]);
  return rows.map((row) => ({
    payoutId: row.payout_id,
    partnerId: row.partner_id,
    environment: row.environment,
    hintedPaymentId: row.hinted_payment_id,
  }));
}

interface Hint {
  environment: PartnerContext['environment'];
  orderId: string;
  paymentId: string;
  at: Date;
}

/** False where no payout of ours has this order, or the order has not the form of ours. */
export async function hintPayout(calls: SingleCalls, { environment, orderId, paymentId, at }: Hint): Promise<boolean> {
  if (!isOrderId(orderId)) return false;
  const [row] = await calls.call<{ hint_payout: boolean }>(payoutCalls.hint, [environment, orderId, paymentId, at]);
  return row?.hint_payout === true;
}

interface SideAtBank extends PartnerContext {
  rail: Payout['rail'];
  bankCustomerId: string;
}

interface SideAtBankRow {
  partner_id: string;
  environment: PartnerContext['environment'];
  rail: Payout['rail'];
  bank_customer_id: string;
}

/** Partners that have a wallet at a bank, in the order of their ids, from the one after `afterPartner` on. */
export async function listSidesAtBanks(calls: SingleCalls, afterPartner: string, limit: number): Promise<SideAtBank[]> {
  const rows = await calls.call<SideAtBankRow>(payoutCalls.listSidesAtBanks, [afterPartner, limit]);
  return rows.map((row) => ({
    partnerId: row.partner_id,
    environment: row.environment,
    rail: row.rail,
    bankCustomerId: row.bank_customer_id,
  }));
}

export interface UnmatchedEvent {
  environment: PartnerContext['environment'];
  eventId: string;
  paymentId: string;
  orderId: string | null;
}

export async function keepUnmatchedEvent(
  calls: SingleCalls,
  event: UnmatchedEvent,
  { receivedAt, dueAt }: { receivedAt: Date; dueAt: Date },
): Promise<void> {
  const { environment, eventId, paymentId, orderId } = event;
  await calls.call(payoutCalls.keepUnmatched, [environment, eventId, paymentId, orderId, receivedAt, dueAt]);
}

interface UnmatchedRow {
  environment: PartnerContext['environment'];
  event_id: string;
  payment_id: string;
  order_id: string | null;
  tries: number;
}

/** Those that are due, each with how often it has been tried; whoever takes one has it until it is due again. */
export async function takeUnmatchedEvents(
  calls: SingleCalls,
  now: Date,
  most: number,
): Promise<(UnmatchedEvent & { tries: number })[]> {
  const rows = await calls.call<UnmatchedRow>(payoutCalls.takeUnmatched, [now, most]);
  return rows.map((row) => ({
    environment: row.environment,
    eventId: row.event_id,
    paymentId: row.payment_id,
    orderId: row.order_id,
    tries: row.tries,
  }));
}

export async function dropUnmatchedEvent(calls: SingleCalls, event: UnmatchedEvent): Promise<void> {
  await calls.call(payoutCalls.dropUnmatched, [event.environment, event.eventId]);
}

export interface HistoryRow {
  number: number;
  at: Date;
  state: PayoutState;
  what: string;
  by: string;
  attempt: number;
  bank_state: string | null;
  detail: string | null;
  transfer_ids: string[];
}

/** Everything that was ever recorded of a payout. For the reading role, which sees every partner's. */
export async function readRecords(tx: Transaction, payoutId: string) {
  const payout = await tx.query<PayoutRow>('select * from kelpie.payouts where id = $1', [payoutId]);
  const history = await tx.query<HistoryRow>(
    'select * from kelpie.payout_history where payout_id = $1 order by number limit 1000',
    [payoutId],
  );
  const cases = await tx.query<{ kind: string; detail: string; opened_at: Date; closed_at: Date | null }>(
    'select kind, detail, opened_at, closed_at from kelpie.cases where payout_id = $1 order by opened_at limit 100',
    [payoutId],
  );
  const open = await tx.query<{ due_at: Date }>('select due_at from kelpie.open_payouts where payout_id = $1', [
    payoutId,
  ]);
  const [row] = payout.rows;
  if (row === undefined) return null;
  return { payout: payoutFrom(row), history: history.rows, cases: cases.rows, dueAt: open.rows[0]?.due_at ?? null };
}
