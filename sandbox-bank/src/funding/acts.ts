// What the page and tests can do to a deposit. Each act takes a locked deposit.
import type { Transaction } from '../database.ts';
import { ApiError } from '../http/api-error.ts';
import { changeDeposit } from './change-deposit.ts';
import type { Deposit, DepositState } from './deposit.ts';

const underWay: readonly DepositState[] = ['funds_received', 'payment_submitted'];

/** The states that allow each act. The page offers exactly these. */
const actsFrom = {
  settle: [...underWay, 'in_review'],
  hold: underWay,
  release: ['in_review'],
  refund: [...underWay, 'in_review', 'payment_processed'],
  fail: [...underWay, 'in_review'],
} as const satisfies Record<string, readonly DepositState[]>;
export type DepositAct = keyof typeof actsFrom;

export function canDepositBe(act: DepositAct, state: DepositState): boolean {
  const from: readonly DepositState[] = actsFrom[act];
  return from.includes(state);
}

interface ActTime {
  at: Date;
  settleAfterMs: number;
}

/** When the bank has converted it, and hands it to the wallet. */
export function submissionOf({ at, settleAfterMs }: ActTime): { state: DepositState; at: Date } {
  return { state: 'payment_submitted', at: new Date(at.getTime() + Math.floor(settleAfterMs / 3)) };
}

/** Which state each leads to. A refund takes the money from the wallet again, where it has it already. */
const leadsTo = {
  settle: 'payment_processed',
  hold: 'in_review',
  release: 'funds_received',
  refund: 'refunded',
  fail: 'error',
} as const satisfies Record<DepositAct, DepositState>;

export const depositActs: readonly DepositAct[] = ['settle', 'hold', 'release', 'refund', 'fail'];

export async function actOnDeposit(
  tx: Transaction,
  act: DepositAct,
  deposit: Deposit,
  time: ActTime,
): Promise<Deposit> {
  const { state } = deposit;
  if (!canDepositBe(act, state)) {
    throw new ApiError({
      code: 'invalid_state',
      message: `Cannot ${act} a deposit whose state is ${state}.`,
    });
  }
  const next = act === 'release' ? { next: submissionOf(time) } : {};
  return changeDeposit(tx, deposit, { to: leadsTo[act], at: time.at, ...next });
}

/** The API then answers as if it never existed. Settlement continues. */
export async function setDepositForgotten(tx: Transaction, deposit: Deposit, forgotten: boolean): Promise<Deposit> {
  await tx.query('update deposits set forgotten = $2 where id = $1', [deposit.id, forgotten]);
  return { ...deposit, forgotten };
}
