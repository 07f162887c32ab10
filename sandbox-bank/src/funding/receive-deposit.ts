import { createHash } from 'node:crypto';
import type { Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { priceBankTransfer, priceTokens, type DepositPrice } from '../pricing.ts';
import { submissionOf } from './acts.ts';
import { notify } from './change-deposit.ts';
import type { Deposit } from './deposit.ts';
import type { LiquidationAddress } from './liquidation-address.ts';
import type { VirtualAccount } from './virtual-account.ts';

interface ReceivingTime {
  at: Date;
  settleAfterMs: number;
}

interface Sender {
  name: string;
  reference: string;
}

type NewDeposit = Pick<Deposit, 'customer_id' | 'wallet_id'> & Partial<Deposit>;

/** Pounds came in on an account of the bank's. */
export async function receiveTransfer(
  tx: Transaction,
  { account, pence, sender }: { account: VirtualAccount; pence: bigint; sender: Sender },
  time: ReceivingTime,
): Promise<Deposit> {
  const { customer_id, wallet_id } = account;
  return insertDeposit(tx, priceBankTransfer(pence), time, {
    customer_id,
    wallet_id,
    virtual_account_id: account.id,
    sent_pence: pence,
    sender_name: sender.name,
    sender_sort_code: '200000',
    sender_account_number: '55779911',
    reference: sender.reference,
  });
}

/** Tokens came in on an address of the bank's. */
export async function receiveTokens(
  tx: Transaction,
  { address, microUsdc }: { address: LiquidationAddress; microUsdc: bigint },
  time: ReceivingTime,
): Promise<Deposit> {
  const { customer_id, wallet_id } = address;
  const digest = createHash('sha256').update(newId(time.at)).digest('hex');
  return insertDeposit(tx, priceTokens(microUsdc), time, {
    customer_id,
    wallet_id,
    liquidation_address_id: address.id,
    sent_micro_usdc: microUsdc,
    from_address: `0x${digest.slice(0, 40)}`,
    tx_hash: `0x${digest}`,
  });
}

async function insertDeposit(
  tx: Transaction,
  { netMicroUsdc, feeMicroUsdc }: DepositPrice,
  time: ReceivingTime,
  made: NewDeposit,
): Promise<Deposit> {
  const { at } = time;
  const next = submissionOf(time);
  const { rows } = await tx.query<Deposit>(
    `insert into deposits (id, customer_id, wallet_id, virtual_account_id, liquidation_address_id, sent_pence,
       sent_micro_usdc, net_micro_usdc, fee_micro_usdc, sender_name, sender_sort_code, sender_account_number, reference,
       from_address, tx_hash, state, next_state, next_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'funds_received', $16, $17, $18, $18)
     returning *`,
    [
      newId(at),
      made.customer_id,
      made.wallet_id,
      made.virtual_account_id ?? null,
      made.liquidation_address_id ?? null,
      made.sent_pence ?? null,
      made.sent_micro_usdc ?? null,
      netMicroUsdc,
      feeMicroUsdc,
      made.sender_name ?? null,
      made.sender_sort_code ?? null,
      made.sender_account_number ?? null,
      made.reference ?? null,
      made.from_address ?? null,
      made.tx_hash ?? null,
      next.state,
      next.at,
      at,
    ],
  );
  const [deposit] = rows;
  if (deposit === undefined) throw new Error('an insert returned nothing');
  await notify(tx, deposit, { from: null, at, wasCredited: false });
  return deposit;
}
