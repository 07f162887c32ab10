import type { Transaction } from '../database.ts';
import { notFound } from '../http/api-error.ts';
import { formatPounds, formatUsdc } from '../money.ts';

export const states = [
  'awaiting_funds',
  'pending',
  'in_review',
  'funds_received',
  'payment_submitted',
  'payment_processed',
  'undeliverable',
  'returned',
  'refund_in_flight',
  'refunded',
  'refund_failed',
  'missing_return_policy',
  'canceled',
  'error',
] as const;
export type State = (typeof states)[number];

/** A row of the table, as the driver gives it. */
export interface Transfer {
  id: string;
  customer_id: string;
  wallet_id: string;
  /** Null where it goes to another wallet. */
  external_account_id: string | null;
  to_wallet_id: string | null;
  client_reference_id: string | null;
  amount_pence: bigint | null;
  reference: string;
  taken_micro_usdc: bigint;
  exchange_fee_micro_usdc: bigint;
  refunded_micro_usdc: bigint | null;
  state: State;
  reason: string | null;
  forgotten: boolean;
  /** The number of the test account that it goes to; null for any other. */
  test_account: string | null;
  next_state: State | null;
  next_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** What the network costs the bank. It is part of its fee, not taken besides. */
const gasFee = '0.02';

/** What it bills for a payment that came back; later, and not from the wallet. */
const returnFee = '0.50';

function destinationOf({ to_wallet_id: walletId, ...transfer }: Transfer): object {
  if (walletId !== null) return { currency: 'usdc', payment_rail: 'base', bridge_wallet_id: walletId };
  return {
    currency: 'gbp',
    payment_rail: 'faster_payments',
    external_account_id: transfer.external_account_id,
    amount: formatPounds(transfer.amount_pence ?? 0n),
    reference: transfer.reference,
  };
}

/** Pounds to an account; between wallets, all that was taken. */
function finalAmount({ amount_pence: pence, taken_micro_usdc: taken }: Transfer): string {
  return pence === null ? formatUsdc(taken) : formatPounds(pence);
}

/** The transfer in the words of the wire. */
export function describeTransfer(transfer: Transfer): object {
  const { refunded_micro_usdc: refunded } = transfer;
  return {
    id: transfer.id,
    client_reference_id: transfer.client_reference_id,
    state: transfer.state,
    on_behalf_of: transfer.customer_id,
    amount: formatUsdc(transfer.taken_micro_usdc),
    currency: 'usdc',
    source: { currency: 'usdc', payment_rail: 'bridge_wallet', bridge_wallet_id: transfer.wallet_id },
    destination: destinationOf(transfer),
    receipt: {
      initial_amount: formatUsdc(transfer.taken_micro_usdc),
      developer_fee: '0.00',
      exchange_fee: formatUsdc(transfer.exchange_fee_micro_usdc),
      gas_fee: gasFee,
      final_amount: finalAmount(transfer),
      ...(refunded === null ? {} : { refunded_amount: formatUsdc(refunded) }),
      ...(refunded === null || transfer.reason === null ? {} : { return_fee: returnFee }),
    },
    ...(transfer.reason === null ? {} : { return_details: { reason: transfer.reason } }),
    created_at: transfer.created_at.toISOString(),
    updated_at: transfer.updated_at.toISOString(),
  };
}

/**
 * Locks the transfer until the end of the transaction. Always before its wallet: two that took them in opposite order
 * would wait for each other for ever.
 */
export async function lockTransfer(tx: Transaction, id: string): Promise<Transfer> {
  const { rows } = await tx.query<Transfer>('select * from transfers where id = $1 for update', [id]);
  const [transfer] = rows;
  if (transfer === undefined) throw notFound('transfer');
  return transfer;
}
