import type { Transaction } from './database.ts';
import { newId } from './ids.ts';

interface Movement {
  walletId: string;
  /** Less than zero where money leaves. */
  microUsdc: bigint;
  kind: 'opening' | 'transfer' | 'refund';
  transferId: string | null;
  at: Date;
}

/** Changes the balance and notes why; false, with nothing done, where the wallet would fall below zero. */
export async function moveMoney(tx: Transaction, movement: Movement): Promise<boolean> {
  const { walletId, microUsdc, kind, transferId, at } = movement;
  // One statement: the wallet is locked from here to the commit, and others wait for it.
  const { rows } = await tx.query(
    `with moved as (
       update wallets set balance_micro_usdc = balance_micro_usdc + $2
       where id = $1 and balance_micro_usdc + $2 >= 0 returning balance_micro_usdc)
     insert into wallet_movements (id, wallet_id, micro_usdc, kind, transfer_id, at, balance_after_micro_usdc)
     select $3, $1, $2, $4, $5, $6, balance_micro_usdc from moved returning id`,
    [walletId, microUsdc, newId(at), kind, transferId, at],
  );
  return rows.length === 1;
}
