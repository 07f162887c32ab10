import { idOfWalletTransfer, type PaymentRecord } from '../banks/index.ts';
import type { MicroUsdc } from '../money/amounts.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import type { Comparison } from './cases/difference.ts';
import { compareFloatMove, effectOfOpenMove } from './compare-float-move.ts';
import { judgeStranger } from './compare-transfer.ts';
import { BankSilent, type Comparing } from './deps.ts';
import { findFloatMove, findOpenFloatMove } from './float-move-store.ts';

/** A line of the partner's list that is named as a move of the float; null where it is not. */
export async function recheckFloatMove(
  { pool, partnerEnvironment, run }: Comparing,
  payment: PaymentRecord,
): Promise<Comparison | null> {
  const id = idOfWalletTransfer(payment.ourReference);
  if (id === null) return null;
  const move = await inTransaction(pool, partnerEnvironment, async (tx) => findFloatMove(tx, id));
  return move === null ? judgeStranger(payment, null, run.cutOff) : compareFloatMove(move, payment, run.cutOff);
}

/** What the bank has moved between the float and the partner's wallet, and our books do not have yet. */
export async function explainFloatMove({ bank, pool, partnerEnvironment }: Comparing): Promise<MicroUsdc> {
  const move = await inTransaction(pool, partnerEnvironment, async (tx) => findOpenFloatMove(tx));
  if (move === null) return 0n;
  const found = move.paymentId === null ? null : await bank.findRecord(move.paymentId);
  const effect = effectOfOpenMove(move, found?.kind === 'found' ? found.payment : null);
  if (effect === null) throw new BankSilent('a move of the float is not known at the bank yet');
  return effect;
}
