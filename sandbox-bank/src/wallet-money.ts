import type { Transaction } from './database.ts';
import { newId } from './ids.ts';

interface Movement {
  walletId: string;
  /** Less than zero where money leaves. */
  microUsdc: bigint;
  kind: 'opening' | 'transfer' | 'refund' | 'deposit' | 'deposit_reversal' | 'adjustment' | 'wallet_transfer';
  transferId?: string;
  depositId?: string;
  /** What is taken back is taken, whatever the wallet holds: then its customer owes the bank. */
  mayOverdraw?: true;
  at: Date;
}

/** Changes the balance and notes why; false, with nothing done, where the wallet would fall below zero. */
export async function moveMoney(tx: Transaction, movement: Movement): Promise<boolean> {
  const { walletId, microUsdc, kind, transferId = null, depositId = null, mayOverdraw = false, at } = movement;
  // One statement: the wallet is locked from here to the commit, and others wait for it.
  const { rows } = await tx.query(
    `with moved as (
       update wallets set balance_micro_usdc = balance_micro_usdc + $2
       where id = $1 and ($2::bigint >= 0 or $8 or balance_micro_usdc + $2 >= 0) returning balance_micro_usdc)
     insert into wallet_movements
       (id, wallet_id, micro_usdc, kind, transfer_id, deposit_id, at, balance_after_micro_usdc)
     select $3, $1, $2, $4, $5, $6, $7, balance_micro_usdc from moved returning id`,
    [walletId, microUsdc, newId(at), kind, transferId, depositId, at, mayOverdraw],
  );
  return rows.length === 1;
}
