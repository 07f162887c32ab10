import type { Clock } from '../../platform/clock.ts';
import { arrayLiteral } from '../../platform/database/array-literal.ts';
import { raisedBy, type SingleCalls } from '../../platform/database/single-call.ts';
import { newId } from '../../platform/ids.ts';
import { payoutCalls } from '../calls.ts';
import type { Activity, Move, Step } from '../move.ts';
import type { Payout } from '../payout.ts';
import type { GivenCode } from '../creating/confirmations.ts';
import { entryColumns, placedEntryColumns, type NewTransfer } from './entries.ts';

/** A payout as it is first written, with the transfers and the answer that are known by then. */
export interface NewPayout {
  payout: Omit<Payout, 'bankRound' | 'firstTriedAt' | 'revision' | 'attempts' | 'bankRefunded' | 'completedAt'>;
  /** The API key that asks, or the session. */
  callerId: string;
  /** What a person who pays with real money has confirmed it by; otherwise null. */
  confirmation: GivenCode | null;
  idempotencyKey: string;
  fingerprint: Buffer;
  accountIndex: Buffer;
  transfers: readonly NewTransfer[];
  /** Null where nothing is left to be looked after. */
  open: { leasedUntil: Date; dueAt: Date } | null;
  /** Where this commit fixes the answer. */
  activity: { id: string; status: number } | null;
}

export type InsertOutcome =
  | { kind: 'created'; bankRound: number; firstTriedAt: Date; bankRecipientId: string | null }
  /** The key stands for a payout already. */
  | { kind: 'exists' }
  | { kind: 'unauthorized' }
  /** The code that should confirm it does not: it is wrong, used, over, or another payout's. */
  | { kind: 'not_confirmed' }
  | { kind: 'insufficient_funds'; available: bigint }
  | { kind: 'partner_not_active' }
  /** A person has to look first what became of an earlier try. */
  | { kind: 'in_question' }
  | { kind: 'rail_paused' }
  /** The partner has left the rail that this payout was made for. */
  | { kind: 'rail_changed' };

/** The columns of a payout that is new, but for its transfers and its activity. */
function newColumns({ payout, ...made }: NewPayout): unknown[] {
  return [
    payout.partnerId,
    payout.environment,
    made.callerId,
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
    payout.pricePlan,
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
  ];
}

/** Rows of the same columns, as one array a column. */
function transpose(rows: readonly (readonly unknown[])[]): string[] {
  return (rows[0] ?? []).map((_, column) => arrayLiteral(rows.map((row) => row[column])));
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
    case 'KP410':
      return { kind: 'rail_changed' };
    case 'KP502':
      return { kind: 'rail_paused' };
    default:
      return undefined;
  }
}

interface InsertedRow {
  outcome: 'created' | 'exists' | 'unauthorized' | 'not_confirmed';
  bank_recipient_id: string | null;
  bank_round: number;
  first_tried_at: Date;
}

/** The first commit of a payout, in one round trip. */
export async function insertPayout(calls: SingleCalls, made: NewPayout): Promise<InsertOutcome> {
  const { confirmation: given, activity } = made;
  const call = given === null ? payoutCalls.createPayout : payoutCalls.createConfirmedPayout;
  const confirmed = given === null ? [] : [given.orderHmac, given.emailHmac, given.codeHmac];
  const values = [...confirmed, ...newColumns(made), ...entryColumns(made.transfers), activity?.id, activity?.status];
  try {
    const [row] = await calls.call<InsertedRow>(call, values);
    if (row === undefined) throw new Error('the database made no answer');
    if (row.outcome !== 'created') return { kind: row.outcome };
    const { bank_round: bankRound, first_tried_at: firstTriedAt, bank_recipient_id: bankRecipientId } = row;
    return { kind: 'created', bankRound, firstTriedAt, bankRecipientId };
  } catch (error) {
    const refusal = refusalFrom(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

interface BatchRow {
  place: string;
  outcome: 'created' | 'insufficient_funds' | 'alone';
  available_micro_usdc: string | null;
  bank_recipient_id: string | null;
}

function outcomeFrom(made: NewPayout, row: BatchRow | undefined): InsertOutcome | undefined {
  switch (row?.outcome) {
    case 'created':
      return {
        kind: 'created',
        bankRound: 1,
        firstTriedAt: made.payout.updatedAt,
        bankRecipientId: row.bank_recipient_id,
      };
    case 'insufficient_funds':
      return { kind: 'insufficient_funds', available: BigInt(row.available_micro_usdc ?? 0) };
    case 'alone':
    case undefined:
      return undefined;
  }
}

/** Whether it only takes from the wallet. One that fails at once gives back in the same commit, before the next is looked at. */
export function isPlainNew({ payout, transfers }: NewPayout): boolean {
  // A batch looks at API keys; whether a person may pay is looked at alone.
  if (payout.createdVia === 'dashboard') return false;
  return transfers.slice(1).every(({ lines }) => lines.every(({ account }) => account !== 'wallet'));
}

/** The first commits of many, in one. Undefined for one that is not simply new: `insertPayout` says what it is. */
export async function insertPayouts(
  calls: SingleCalls,
  batch: readonly NewPayout[],
): Promise<(InsertOutcome | undefined)[]> {
  const rows = await calls.call<BatchRow>(payoutCalls.createPayouts, [
    ...transpose(
      batch.map((made) => [
        ...newColumns(made),
        made.activity?.id,
        made.activity?.status,
        `{${made.transfers.map(({ id }) => id).join(',')}}`,
      ]),
    ),
    ...placedEntryColumns(batch.map(({ transfers }) => transfers)),
  ]);
  const rowAt = new Map(rows.map((row) => [Number(row.place), row]));
  return batch.map((made, at) => outcomeFrom(made, rowAt.get(at + 1)));
}

/** A later commit of a payout, and the payout as its caller read it. */
export interface Moving {
  payout: Payout;
  move: Move;
}

interface NewStep extends Step {
  transferId: string | null;
}

/** What is posted is posted at the instant that the payout says: an invoice goes by the one, and what is shown by the other. */
function stepsOf({ steps, at }: Move): NewStep[] {
  return steps.map((step) => ({ ...step, transferId: step.lines.length === 0 ? null : newId({ now: () => at }) }));
}

function transfersOf(steps: readonly NewStep[]): NewTransfer[] {
  return steps.flatMap(({ transferId, what, lines }) =>
    transferId === null ? [] : [{ id: transferId, reason: `payout.${what}`, lines }],
  );
}

function learnedColumns({ learned, afterwards }: Move): unknown[] {
  return [
    learned.attempts,
    learned.bankPaymentId,
    learned.bankState,
    learned.bankTook,
    learned.bankRefunded,
    learned.failure?.code,
    learned.failure?.reason,
    afterwards.kind,
    afterwards.kind === 'watch' ? afterwards.dueAt : null,
  ];
}

function activityColumns(activity: Activity | undefined, clock: Clock): unknown[] {
  if (activity === undefined) return [null, null, null, null];
  return [activity.requestId ?? newId(clock), activity.action, activity.status, activity.by];
}

function basisColumns({ payout, move }: Moving): unknown[] {
  return [payout.partnerId, payout.environment, payout.id, payout.revision, move.at, move.by];
}

/** Any later commit of a payout. False where it has changed since it was read: then nothing was done. */
export async function movePayout(calls: SingleCalls, clock: Clock, moving: Moving): Promise<boolean> {
  const { move } = moving;
  const steps = stepsOf(move);
  const [row] = await calls.call<{ move_payout: boolean }>(payoutCalls.movePayout, [
    ...basisColumns(moving),
    steps.map(({ to }) => to),
    steps.map(({ what }) => what),
    steps.map(({ detail }) => detail),
    steps.map(({ transferId }) => transferId),
    ...learnedColumns(move),
    ...entryColumns(transfersOf(steps)),
    ...activityColumns(move.activity, clock),
    move.openCase === undefined ? null : newId(clock),
    move.openCase?.kind,
    move.openCase?.detail,
    move.pauseRail ?? false,
    move.knownRecipientId,
    move.forgetRecipient ?? false,
    move.freeKey ?? false,
  ]);
  return row?.move_payout === true;
}

/** Whether it is of the plain kind that goes in with others: nearly all are. */
export function isPlain({ steps, openCase, pauseRail, forgetRecipient, freeKey }: Move): boolean {
  return steps.length === 1 && openCase === undefined && !(pauseRail || forgetRecipient || freeKey);
}

/** Plain later commits of many payouts, in one. Says of each what `movePayout` would. */
export async function movePayouts(calls: SingleCalls, clock: Clock, batch: readonly Moving[]): Promise<boolean[]> {
  const stepsOfEach = batch.map(({ move }) => stepsOf(move));
  const rows = await calls.call<{ place: number; is_moved: boolean }>(payoutCalls.movePayouts, [
    ...transpose(
      batch.map((moving, at) => {
        const step = stepsOfEach[at]?.[0];
        return [
          ...basisColumns(moving),
          step?.to,
          step?.what,
          step?.detail,
          step?.transferId,
          ...learnedColumns(moving.move),
          ...activityColumns(moving.move.activity, clock),
          moving.move.knownRecipientId,
        ];
      }),
    ),
    ...placedEntryColumns(stepsOfEach.map(transfersOf)),
  ]);
  const isMoved = new Map(rows.map((row) => [row.place, row.is_moved]));
  return batch.map((_, at) => isMoved.get(at + 1) === true);
}
