import type { Mode } from '../configuration.ts';
import type { Transaction } from '../database.ts';
import { ApiError } from '../http/api-error.ts';
import { newId } from '../ids.ts';
import { priceTransfer } from '../pricing.ts';
import { moveMoney } from '../wallet-money.ts';
import { recordEvents } from '../webhooks/events.ts';
import { submissionAfter } from './acts.ts';
import { transferEvent } from './transfer-event.ts';
import { hiddenForMs, testAccounts } from '../test-accounts.ts';
import type { State, Transfer } from './transfer.ts';

export interface Order {
  customerId: string;
  walletId: string;
  externalAccountId: string;
  clientReferenceId: string | null;
  amountPence: bigint;
  reference: string;
  idempotencyKey: string | null;
  takeMoreMicroUsdc: bigint;
  testAccount: string | null;
}

const rejectedEnding = '0000';

/** The receiving bank's word on an account, and our own. */
export function checkAccount(account: { active: boolean; account_number: string }, mode: Mode): void {
  if (!account.active) {
    throw new ApiError({ code: 'external_account_inactive', message: 'This external account was deactivated.' });
  }
  if (mode === 'sandbox' && account.account_number.endsWith(rejectedEnding)) {
    throw new ApiError({
      code: 'external_account_rejected',
      message: 'The receiving bank rejected these account details.',
    });
  }
}

export interface NewTransfer {
  transfer: Transfer;
  /**
   * Refuses what the wallet does not hold. For the end of the transaction, since it locks the wallet: orders that share one then
   * wait for each other as briefly as can be.
   */
  takeMoney: () => Promise<void>;
}

/** Takes the money of a transfer from its wallet. */
export async function takeMoney(
  tx: Transaction,
  transfer: Transfer,
  kind: 'transfer' | 'wallet_transfer',
): Promise<void> {
  const { id: transferId, wallet_id: walletId, taken_micro_usdc: micro, created_at: at } = transfer;
  if (!(await moveMoney(tx, { walletId, microUsdc: -micro, kind, transferId, at })))
    throw new ApiError({ code: 'insufficient_funds', message: 'The wallet does not hold enough for this transfer.' });
}

/** Accepts an order: the transfer, the money taken, the record of it and the news are one commit. */
export async function createTransfer(
  tx: Transaction,
  order: Order,
  { at, settleAfterMs }: { at: Date; settleAfterMs: number },
): Promise<NewTransfer> {
  const price = priceTransfer(order.amountPence);
  const taken = price.takenMicroUsdc + order.takeMoreMicroUsdc;
  const transfer = await insertTransfer(tx, order, {
    id: newId(at),
    // A fault that would have the bank pay for the transfer itself leaves it the smallest amount there is.
    takenMicroUsdc: taken > 0n ? taken : 1n,
    exchangeFeeMicroUsdc: price.exchangeFeeMicroUsdc,
    at,
    ...beginningOf(order, at, settleAfterMs),
  });
  const { id: transferId, taken_micro_usdc: takenMicroUsdc } = transfer;
  await tx.query(
    `insert into payments (transfer_id, customer_id, client_reference_id, idempotency_key, amount_pence,
       taken_micro_usdc, accepted_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      transferId,
      order.customerId,
      order.clientReferenceId,
      order.idempotencyKey,
      order.amountPence,
      takenMicroUsdc,
      at,
    ],
  );
  await recordEvents(tx, [transferEvent(transfer, null)], at);
  return { transfer, takeMoney: async () => takeMoney(tx, transfer, 'transfer') };
}

/** Where a payment begins, and when the bank takes it further. */
function beginningOf({ testAccount }: Order, at: Date, settleAfterMs: number): Beginning {
  const does = testAccount === null ? undefined : testAccounts.get(testAccount)?.does;
  if (does === 'hold') return { state: 'awaiting_funds', next: null, forgotten: false };
  if (does !== 'hide') return { state: 'pending', next: submissionAfter(at, settleAfterMs), forgotten: false };
  const shownAt = new Date(at.getTime() + hiddenForMs);
  return { state: 'pending', next: { state: 'payment_submitted', at: shownAt }, forgotten: true };
}

interface Beginning {
  state: State;
  next: { state: State; at: Date } | null;
  forgotten: boolean;
}

interface Accepted extends Beginning {
  id: string;
  takenMicroUsdc: bigint;
  exchangeFeeMicroUsdc: bigint;
  at: Date;
}

async function insertTransfer(tx: Transaction, order: Order, accepted: Accepted): Promise<Transfer> {
  const { rows } = await tx.query<Transfer>(
    `insert into transfers (id, customer_id, wallet_id, external_account_id, client_reference_id, amount_pence,
       reference, taken_micro_usdc, exchange_fee_micro_usdc, next_state, next_at, created_at, updated_at, state, forgotten,
       test_account)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $14, $15) returning *`,
    [
      accepted.id,
      order.customerId,
      order.walletId,
      order.externalAccountId,
      order.clientReferenceId,
      order.amountPence,
      order.reference,
      accepted.takenMicroUsdc,
      accepted.exchangeFeeMicroUsdc,
      accepted.next?.state ?? null,
      accepted.next?.at ?? null,
      accepted.at,
      accepted.state,
      accepted.forgotten,
      order.testAccount,
    ],
  );
  const [transfer] = rows;
  if (transfer === undefined) throw new Error('an insert returned nothing');
  return transfer;
}
