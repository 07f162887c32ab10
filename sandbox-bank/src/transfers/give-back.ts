import type { Transaction } from '../database.ts';
import { ApiError } from '../http/api-error.ts';
import { moveMoney } from '../wallet-money.ts';
import type { Transfer } from './transfer.ts';

interface GivingBack {
  microUsdc: bigint;
  reason: string | null;
  at: Date;
}

/** Puts money back into the wallet, once a transfer: the record's key would refuse a second time, too. */
export async function giveBack(tx: Transaction, transfer: Transfer, giving: GivingBack): Promise<Transfer> {
  const { microUsdc, reason, at } = giving;
  if (transfer.refunded_micro_usdc !== null) {
    throw new ApiError({ code: 'invalid_state', message: 'The money of this transfer has already been returned.' });
  }
  // Between wallets nothing was paid, so the record of payments has no refund either.
  if (transfer.to_wallet_id === null)
    await tx.query(
      `insert into refunds (transfer_id, customer_id, client_reference_id, micro_usdc, reason, refunded_at)
     values ($1, $2, $3, $4, $5, $6)`,
      [transfer.id, transfer.customer_id, transfer.client_reference_id, microUsdc, reason, at],
    );
  await moveMoney(tx, { walletId: transfer.wallet_id, microUsdc, kind: 'refund', transferId: transfer.id, at });
  await tx.query('update transfers set refunded_micro_usdc = $2 where id = $1', [transfer.id, microUsdc]);
  return { ...transfer, refunded_micro_usdc: microUsdc };
}
