// What the page and tests can do to a transfer. Each act takes a locked transfer.
import type { Transaction } from '../database.ts';
import { ApiError } from '../http/api-error.ts';
import { changeState } from './change-state.ts';
import { giveBack } from './give-back.ts';
import type { State, Transfer } from './transfer.ts';

const underWay: readonly State[] = ['pending', 'payment_submitted'];
const held: readonly State[] = ['awaiting_funds', 'in_review', 'funds_received'];

/** The states that allow each act. The page offers exactly these. */
const actsFrom = {
  settle: [...underWay, ...held],
  hold: [...underWay, ...held],
  release: held,
  return: [...underWay, 'payment_processed'],
  fail: [...underWay, ...held],
  refund: ['undeliverable'],
  cancel: ['awaiting_funds'],
} as const satisfies Record<string, readonly State[]>;
export type Act = keyof typeof actsFrom;

export function canBe(act: Act, state: State): boolean {
  const from: readonly State[] = actsFrom[act];
  return from.includes(state);
}

function check(act: Act, { state }: Transfer): void {
  if (canBe(act, state)) return;
  throw new ApiError({
    code: 'invalid_state',
    message: `Cannot ${act} a transfer whose state is ${state}.`,
  });
}

/** When the bank hands a transfer to Faster Payments, and when it arrives. */
export function submissionAfter(at: Date, settleAfterMs: number): { state: State; at: Date } {
  return { state: 'payment_submitted', at: new Date(at.getTime() + Math.floor(settleAfterMs / 3)) };
}

export async function settle(tx: Transaction, transfer: Transfer, at: Date): Promise<Transfer> {
  check('settle', transfer);
  return changeState(tx, transfer, { to: 'payment_processed', at });
}

export async function hold(tx: Transaction, transfer: Transfer, to: State, at: Date): Promise<Transfer> {
  check('hold', transfer);
  return changeState(tx, transfer, { to, at });
}

export async function release(tx: Transaction, transfer: Transfer, at: Date, settleAfterMs: number): Promise<Transfer> {
  check('release', transfer);
  return changeState(tx, transfer, { to: 'pending', at, next: submissionAfter(at, settleAfterMs) });
}

export async function fail(tx: Transaction, transfer: Transfer, reason: string, at: Date): Promise<Transfer> {
  check('fail', transfer);
  return changeState(tx, transfer, { to: 'undeliverable', at, reason });
}

interface Return {
  reason: string;
  /** Null for all that was taken. */
  microUsdc: bigint | null;
  at: Date;
}

export async function returnMoney(tx: Transaction, transfer: Transfer, { reason, ...back }: Return): Promise<Transfer> {
  check('return', transfer);
  return sendBack(tx, await changeState(tx, transfer, { to: 'returned', at: back.at, reason }), back);
}

export async function refund(tx: Transaction, transfer: Transfer, back: Omit<Return, 'reason'>): Promise<Transfer> {
  check('refund', transfer);
  return sendBack(tx, transfer, back);
}

async function sendBack(tx: Transaction, transfer: Transfer, back: Omit<Return, 'reason'>): Promise<Transfer> {
  const { at, microUsdc } = back;
  const inFlight = await changeState(tx, transfer, { to: 'refund_in_flight', at });
  const giving = { microUsdc: microUsdc ?? transfer.taken_micro_usdc, reason: transfer.reason, at };
  const repaid = await giveBack(tx, inFlight, giving);
  return changeState(tx, repaid, { to: 'refunded', at });
}

export async function cancel(tx: Transaction, transfer: Transfer, at: Date): Promise<Transfer> {
  check('cancel', transfer);
  const repaid = await giveBack(tx, transfer, { microUsdc: transfer.taken_micro_usdc, reason: 'canceled', at });
  return changeState(tx, repaid, { to: 'canceled', at });
}

/** The API then answers as if it never existed. Settlement continues. */
export async function forget(tx: Transaction, transfer: Transfer): Promise<Transfer> {
  return setForgotten(tx, transfer, true);
}

export async function remember(tx: Transaction, transfer: Transfer): Promise<Transfer> {
  return setForgotten(tx, transfer, false);
}

async function setForgotten(tx: Transaction, transfer: Transfer, forgotten: boolean): Promise<Transfer> {
  await tx.query('update transfers set forgotten = $2 where id = $1', [transfer.id, forgotten]);
  return { ...transfer, forgotten };
}
