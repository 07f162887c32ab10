import type { MicroUsdc } from '../../money/amounts.ts';
import { bigOrNull } from '../../platform/database/big-or-null.ts';
import type { Call, SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';

/** What the ledger says of a wallet's month, before a single movement is told. */
export interface FrameRow {
  beganAt: Date;
  endedAt: Date;
  /** Movements of a wallet are numbered from one, for ever. */
  firstNumber: bigint;
  /** Of the first movement behind the month, whether there is one yet or not. */
  nextNumber: bigint;
  /** As noted with the movements on either side; null where the ledger has a gap there. */
  opening: MicroUsdc | null;
  closing: MicroUsdc | null;
  /** What the wallet held before the first movement behind the month, or holds now. */
  heldAfter: MicroUsdc;
  /** Counted and added up anew, over all of the month. */
  movements: bigint;
  moved: MicroUsdc;
}

export interface MovementRow {
  number: bigint;
  transferId: string;
  reason: string;
  /** Below zero where it left the wallet. */
  change: MicroUsdc;
  /** What the wallet held after it. */
  balance: MicroUsdc;
  /** Null where it is not of a payout, or of one that was never made. */
  payoutId: string | null;
  /** Of a credited or reversed top-up. */
  depositId: string | null;
  reference: string | null;
  /** What it was posted for. */
  causeId: string;
}

const readFrameCall: Call = {
  name: 'read_statement_frame',
  text: 'select * from kelpie.read_statement_frame($1, $2, $3)',
};

interface FrameColumns {
  began_at: Date;
  ended_at: Date;
  first_number: string;
  next_number: string;
  opening_balance: string | null;
  closing_balance: string | null;
  held_after: string;
  movements: string;
  moved: string;
}

/** `firstDay` as 2026-11-01. Null where the partner has no wallet. */
export async function readFrame(calls: SingleCalls, of: PartnerContext, firstDay: string): Promise<FrameRow | null> {
  const [row] = await calls.call<FrameColumns>(readFrameCall, [of.partnerId, of.environment, firstDay]);
  if (row === undefined) return null;
  return {
    beganAt: row.began_at,
    endedAt: row.ended_at,
    firstNumber: BigInt(row.first_number),
    nextNumber: BigInt(row.next_number),
    opening: bigOrNull(row.opening_balance),
    closing: bigOrNull(row.closing_balance),
    heldAfter: BigInt(row.held_after),
    movements: BigInt(row.movements),
    moved: BigInt(row.moved),
  };
}

const listMovementsCall: Call = {
  name: 'list_wallet_movements',
  text: `select number, transfer_id, reason, change, balance, payout_id, deposit_id, reference, cause_id
    from kelpie.list_wallet_movements($1, $2, $3, $4, $5, $6, $7, $8)`,
};

type MovementColumns = [string, string, string, string, string, string | null, string | null, string | null, string];

/** Movements of a month in the order of their numbers, from one on. `lines` are those that may have left the database. */
export async function listMovements(
  calls: SingleCalls,
  of: PartnerContext,
  { beganAt, endedAt, nextNumber }: Pick<FrameRow, 'beganAt' | 'endedAt' | 'nextNumber'>,
  { from, limit, lines }: { from: bigint; limit: number; lines: readonly string[] },
): Promise<MovementRow[]> {
  const bounds = [of.partnerId, of.environment, beganAt, endedAt, from, nextNumber, limit, lines];
  const rows = await calls.callForTexts<MovementColumns>(listMovementsCall, bounds);
  return rows.map(([number, transferId, reason, change, balance, payoutId, depositId, reference, causeId]) => ({
    number: BigInt(number),
    transferId,
    reason,
    change: BigInt(change),
    balance: BigInt(balance),
    payoutId,
    depositId,
    reference,
    causeId,
  }));
}
