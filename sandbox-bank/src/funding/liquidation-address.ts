import { createHash } from 'node:crypto';
import type { Transaction } from '../database.ts';
import { notFound } from '../http/api-error.ts';
import { newId } from '../ids.ts';

/** A row of the table, as the driver gives it. */
export interface LiquidationAddress {
  id: string;
  customer_id: string;
  wallet_id: string;
  chain: string;
  address: string;
  created_at: Date;
}

/** The liquidation address in the words of the wire. */
export function describeLiquidationAddress(row: LiquidationAddress): object {
  return {
    id: row.id,
    customer_id: row.customer_id,
    state: 'active',
    chain: row.chain,
    currency: 'usdc',
    address: row.address,
    destination_currency: 'usdc',
    destination_payment_rail: row.chain,
    bridge_wallet_id: row.wallet_id,
    created_at: row.created_at.toISOString(),
  };
}

interface NewAddress {
  customerId: string;
  walletId: string;
  chain: string;
}

export async function openLiquidationAddress(
  tx: Transaction,
  { customerId, walletId, chain }: NewAddress,
  at: Date,
): Promise<LiquidationAddress> {
  const id = newId(at);
  // It looks like an address and belongs to nobody: no tokens can be sent there.
  const address = `0x${createHash('sha256').update(id).digest('hex').slice(0, 40)}`;
  const { rows } = await tx.query<LiquidationAddress>(
    `insert into liquidation_addresses (id, customer_id, wallet_id, chain, address, created_at)
     values ($1, $2, $3, $4, $5, $6) returning *`,
    [id, customerId, walletId, chain, address, at],
  );
  const [made] = rows;
  if (made === undefined) throw new Error('an insert returned nothing');
  return made;
}

export async function getLiquidationAddress(
  tx: Transaction,
  id: string,
  customerId: string | null,
): Promise<LiquidationAddress> {
  const { rows } = await tx.query<LiquidationAddress>(
    'select * from liquidation_addresses where id = $1 and ($2::uuid is null or customer_id = $2)',
    [id, customerId],
  );
  const [address] = rows;
  if (address === undefined) throw notFound('liquidation address');
  return address;
}
