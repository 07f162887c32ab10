import { randomInt } from 'node:crypto';
import type { Transaction } from '../database.ts';
import { notFound } from '../http/api-error.ts';
import { newId } from '../ids.ts';

/** A row of the table, as the driver gives it. */
export interface VirtualAccount {
  id: string;
  customer_id: string;
  wallet_id: string;
  account_holder_name: string;
  sort_code: string;
  account_number: string;
  created_at: Date;
}

const sortCode = '040668';
const bank = { bank_name: 'Harbour Row Bank', bank_address: '1 Harbour Row, London, E1 6AN, GB' };

/** The virtual account in the words of the wire. */
export function describeVirtualAccount(account: VirtualAccount): object {
  return {
    id: account.id,
    status: 'activated',
    customer_id: account.customer_id,
    source_deposit_instructions: {
      currency: 'gbp',
      payment_rails: ['faster_payments'],
      account_number: account.account_number,
      sort_code: account.sort_code,
      account_holder_name: account.account_holder_name,
      ...bank,
    },
    destination: { currency: 'usdc', payment_rail: 'bridge_wallet', bridge_wallet_id: account.wallet_id },
    created_at: account.created_at.toISOString(),
  };
}

interface NewVirtualAccount {
  customerId: string;
  walletId: string;
  holder: string;
}

export async function openVirtualAccount(
  tx: Transaction,
  { customerId, walletId, holder }: NewVirtualAccount,
  at: Date,
): Promise<VirtualAccount> {
  const number = String(randomInt(10_000_000, 100_000_000));
  const { rows } = await tx.query<VirtualAccount>(
    `insert into virtual_accounts
       (id, customer_id, wallet_id, account_holder_name, sort_code, account_number, created_at)
     values ($1, $2, $3, $4, $5, $6, $7) returning *`,
    [newId(at), customerId, walletId, holder, sortCode, number, at],
  );
  const [account] = rows;
  if (account === undefined) throw new Error('an insert returned nothing');
  return account;
}

export async function getVirtualAccount(
  tx: Transaction,
  id: string,
  customerId: string | null,
): Promise<VirtualAccount> {
  const { rows } = await tx.query<VirtualAccount>(
    'select * from virtual_accounts where id = $1 and ($2::uuid is null or customer_id = $2)',
    [id, customerId],
  );
  const [account] = rows;
  if (account === undefined) throw notFound('virtual account');
  return account;
}
