import type { MicroUsdc } from '../../money/amounts.ts';
import { environmentAtBankFrom, type EnvironmentAtBank, type EnvironmentAtBankRow } from '../../partners/index.ts';
import type { Call, SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import type { PlannedMove } from './float-policy.ts';

interface Page {
  after: string;
  atMost: number;
}

const foldCall: Call = { name: 'fold_house_changes', text: 'select kelpie.fold_house_changes()', writes: true };

/** Adds up what was posted since the last time. */
export async function foldHouseChanges(calls: SingleCalls): Promise<void> {
  await calls.call(foldCall, []);
}

const stopCall: Call = {
  name: 'stop_after_losses',
  text: 'select kelpie.stop_after_losses($1) as stopped',
  writes: true,
};

/** Whether this call has paused the live rail, because the day has cost too much. */
export async function stopAfterLosses(calls: SingleCalls, at: Date): Promise<boolean> {
  const [row] = await calls.call<{ stopped: boolean }>(stopCall, [at]);
  return row?.stopped ?? false;
}

const gapsCall: Call = {
  name: 'list_float_gaps',
  text: 'select * from kelpie.list_float_gaps($1, $2, $3, $4, $5)',
};

interface Gaps extends Page {
  sweepAbove: MicroUsdc;
  retrySince: Date;
}

/** Partner environments whose bank wallet lacks something, or holds more than the house leaves there. */
export async function listFloatGaps(calls: SingleCalls, gaps: Gaps): Promise<EnvironmentAtBank[]> {
  const values = [gaps.after, gaps.atMost, 0n, gaps.sweepAbove, gaps.retrySince];
  const rows = await calls.call<EnvironmentAtBankRow>(gapsCall, values);
  return rows.map(environmentAtBankFrom);
}

/** What was topped up in the environment since then. Until the end of the transaction nobody else begins a move there. */
export async function lockFloat(tx: Transaction, { environment }: PartnerContext, since: Date): Promise<MicroUsdc> {
  const { rows } = await tx.query<{ topped_up: string }>('select kelpie.lock_float($1, $2) as topped_up', [
    environment,
    since,
  ]);
  return BigInt(rows[0]?.topped_up ?? 0);
}

/** What the partner's bank wallet lacks; below zero where it holds more than the partner has. */
export async function readPosition(tx: Transaction, of: PartnerContext): Promise<MicroUsdc> {
  const { rows } = await tx.query<{ lacks: string }>('select kelpie.house_position($1, $2) as lacks', [
    of.partnerId,
    of.environment,
  ]);
  return BigInt(rows[0]?.lacks ?? 0);
}

interface NewMove extends PartnerContext, PlannedMove {
  id: string;
  transferId: string;
  at: Date;
}

/** False where the partner has an open move already. */
export async function insertMove(tx: Transaction, move: NewMove): Promise<boolean> {
  const { rows } = await tx.query(
    `insert into kelpie.float_moves (
       id, partner_id, environment, kind, amount_micro_usdc, state, created_at, transfer_ids
     ) values ($1, $2, $3, $4, $5, 'open', $6, array[$7::uuid])
     on conflict (partner_id, environment) where state = 'open' do nothing returning id`,
    [move.id, move.partnerId, move.environment, move.kind, move.amount, move.at, move.transferId],
  );
  return rows.length === 1;
}

/** A move that is not at its end, and the partner's wallet that it is to or from. */
export interface OpenMove extends PlannedMove {
  id: string;
  of: EnvironmentAtBank;
  bankPaymentId: string | null;
  bankState: string | null;
  createdAt: Date;
}

interface OpenMoveRow extends EnvironmentAtBankRow {
  id: string;
  kind: PlannedMove['kind'];
  amount_micro_usdc: string;
  bank_payment_id: string | null;
  bank_state: string | null;
  created_at: Date;
}

const openMovesCall: Call = {
  name: 'list_open_float_moves',
  text: 'select * from kelpie.list_open_float_moves($1, $2)',
};

export async function listOpenMoves(calls: SingleCalls, { after, atMost }: Page): Promise<OpenMove[]> {
  const rows = await calls.call<OpenMoveRow>(openMovesCall, [after, atMost]);
  return rows.map((row) => ({
    id: row.id,
    of: environmentAtBankFrom(row),
    kind: row.kind,
    amount: BigInt(row.amount_micro_usdc),
    bankPaymentId: row.bank_payment_id,
    bankState: row.bank_state,
    createdAt: row.created_at,
  }));
}

/** What the bank says of it. False where it has ended meanwhile. */
export async function recordAtBank(
  tx: Transaction,
  { id, paymentId, bankState }: { id: string; paymentId: string; bankState: string },
): Promise<boolean> {
  const { rows } = await tx.query(
    `update kelpie.float_moves set bank_payment_id = coalesce(bank_payment_id, $2), bank_state = $3
     where id = $1 and state = 'open' returning id`,
    [id, paymentId, bankState.slice(0, 200)],
  );
  return rows.length === 1;
}

/** False where it has ended already. */
export async function endMove(
  tx: Transaction,
  { id, state, transferId, at }: { id: string; state: 'done' | 'failed'; transferId: string; at: Date },
): Promise<boolean> {
  const { rows } = await tx.query(
    `update kelpie.float_moves set state = $2, finished_at = $3, transfer_ids = transfer_ids || $4::uuid
     where id = $1 and state = 'open' returning id`,
    [id, state, at, transferId],
  );
  return rows.length === 1;
}

const uncoveredCall: Call = {
  name: 'list_uncovered_wallets',
  text: 'select * from kelpie.list_uncovered_wallets($1, $2)',
};

export interface UncoveredWallet extends PartnerContext {
  lacks: MicroUsdc;
}

/** Partner environments whose money at the bank, and on its way there, is less than what the partner has. */
export async function listUncoveredWallets(calls: SingleCalls, { after, atMost }: Page): Promise<UncoveredWallet[]> {
  const rows = await calls.call<{
    partner_id: string;
    environment: PartnerContext['environment'];
    lacks_micro_usdc: string;
  }>(uncoveredCall, [after, atMost]);
  return rows.map((row) => ({
    partnerId: row.partner_id,
    environment: row.environment,
    lacks: BigInt(row.lacks_micro_usdc),
  }));
}
