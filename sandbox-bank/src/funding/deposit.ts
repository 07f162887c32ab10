import type { Transaction } from '../database.ts';
import { notFound } from '../http/api-error.ts';
import { formatPounds, formatUsdc } from '../money.ts';

export type DepositState =
  | 'funds_received'
  | 'in_review'
  | 'payment_submitted'
  | 'payment_processed'
  | 'refunded'
  | 'error';

/** A row of the table, as the driver gives it. By a virtual account it came in pence, by an address in USDC. */
export interface Deposit {
  id: string;
  customer_id: string;
  wallet_id: string;
  virtual_account_id: string | null;
  liquidation_address_id: string | null;
  sent_pence: bigint | null;
  sent_micro_usdc: bigint | null;
  net_micro_usdc: bigint;
  fee_micro_usdc: bigint;
  sender_name: string | null;
  sender_sort_code: string | null;
  sender_account_number: string | null;
  reference: string | null;
  from_address: string | null;
  tx_hash: string | null;
  destination_tx_hash: string | null;
  state: DepositState;
  forgotten: boolean;
  next_state: DepositState | null;
  next_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** Until it is converted it is spoken of in pounds, and from then on in USDC, net of the fee. */
function amountsAt(deposit: Deposit, wasCredited: boolean): object {
  const { state } = deposit;
  const isConverted = state === 'payment_submitted' || state === 'payment_processed' || wasCredited;
  if (!isConverted) {
    const amount = formatPounds(deposit.sent_pence ?? 0n);
    return { amount, currency: 'gbp', subtotal_amount: amount, exchange_fee_amount: '0.00' };
  }
  const amount = formatUsdc(deposit.net_micro_usdc);
  const fee = formatUsdc(deposit.fee_micro_usdc);
  return { amount, currency: 'usdc', subtotal_amount: amount, exchange_fee_amount: fee };
}

interface ActivityOptions {
  id: string;
  at: Date;
  /** Whether the wallet had the money before this. */
  wasCredited: boolean;
}

/** One event of a virtual account, in the words of the wire: the state that a deposit has just reached. */
export function describeActivity(deposit: Deposit, { id, at, wasCredited }: ActivityOptions): object {
  return {
    id,
    type: deposit.state,
    customer_id: deposit.customer_id,
    virtual_account_id: deposit.virtual_account_id,
    deposit_id: deposit.id,
    ...amountsAt(deposit, wasCredited),
    developer_fee_amount: '0.00',
    gas_fee: '0.00',
    source: {
      payment_rail: 'faster_payments',
      description: deposit.reference,
      sender_name: deposit.sender_name,
      sender_bank_sort_code: deposit.sender_sort_code,
      sender_account_number: deposit.sender_account_number,
    },
    created_at: at.toISOString(),
  };
}

/** A drain of a liquidation address, in the words of the wire, as it is now. */
export function describeDrain(deposit: Deposit): object {
  const sent = formatUsdc(deposit.sent_micro_usdc ?? 0n);
  return {
    id: deposit.id,
    customer_id: deposit.customer_id,
    liquidation_address_id: deposit.liquidation_address_id,
    state: deposit.state,
    amount: sent,
    currency: 'usdc',
    from_address: deposit.from_address,
    deposit_tx_hash: deposit.tx_hash,
    ...(deposit.destination_tx_hash === null ? {} : { destination_tx_hash: deposit.destination_tx_hash }),
    destination: { currency: 'usdc', bridge_wallet_id: deposit.wallet_id },
    receipt: {
      initial_amount: sent,
      developer_fee: '0.00',
      exchange_fee: '0.00',
      gas_fee: formatUsdc(deposit.fee_micro_usdc),
      final_amount: formatUsdc(deposit.net_micro_usdc),
    },
    created_at: deposit.created_at.toISOString(),
    updated_at: deposit.updated_at.toISOString(),
  };
}

/** Locks it until the end of the transaction, and always before its wallet. */
export async function lockDeposit(tx: Transaction, id: string): Promise<Deposit> {
  const { rows } = await tx.query<Deposit>('select * from deposits where id = $1 for update', [id]);
  const [deposit] = rows;
  if (deposit === undefined) throw notFound('deposit');
  return deposit;
}
