import type { Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { recordEvents } from '../webhooks/events.ts';
import { submissionAfter } from './acts.ts';
import { takeMoney, type NewTransfer } from './create-transfer.ts';
import { transferEvent } from './transfer-event.ts';
import type { Transfer } from './transfer.ts';

export interface WalletOrder {
  customerId: string;
  walletId: string;
  toWalletId: string;
  clientReferenceId: string | null;
  microUsdc: bigint;
}

/** USDC from one wallet to another: taken at once, and there once it is processed. Nothing is paid to anybody outside. */
export async function createWalletTransfer(
  tx: Transaction,
  order: WalletOrder,
  { at, settleAfterMs }: { at: Date; settleAfterMs: number },
): Promise<NewTransfer> {
  const { customerId, walletId, toWalletId, clientReferenceId, microUsdc } = order;
  const next = submissionAfter(at, settleAfterMs);
  const { rows } = await tx.query<Transfer>(
    `insert into transfers (id, customer_id, wallet_id, to_wallet_id, client_reference_id, reference, taken_micro_usdc,
       exchange_fee_micro_usdc, state, next_state, next_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, '', $6, 0, 'pending', $7, $8, $9, $9) returning *`,
    [newId(at), customerId, walletId, toWalletId, clientReferenceId, microUsdc, next.state, next.at, at],
  );
  const [transfer] = rows;
  if (transfer === undefined) throw new Error('an insert returned nothing');
  await recordEvents(tx, [transferEvent(transfer, null)], at);
  return { transfer, takeMoney: async () => takeMoney(tx, transfer, 'wallet_transfer') };
}
