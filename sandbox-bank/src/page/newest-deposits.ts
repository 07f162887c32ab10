import type { Transaction } from '../database.ts';
import type { Deposit } from '../funding/deposit.ts';

const shown = 20;
const shownPlaces = 50;

export type ShownDeposit = Pick<
  Deposit,
  'id' | 'created_at' | 'sent_pence' | 'sent_micro_usdc' | 'net_micro_usdc' | 'reference' | 'state' | 'forgotten'
> & { holder: string };

export async function listNewestDeposits(tx: Transaction): Promise<ShownDeposit[]> {
  const { rows } = await tx.query<ShownDeposit>(
    `select deposit.id, deposit.created_at, sent_pence, sent_micro_usdc, net_micro_usdc, reference, state, forgotten,
       coalesce(customer.business_name, customer.full_name, customer.email) as holder
     from deposits deposit join customers customer on customer.id = deposit.customer_id
     order by deposit.seq desc limit $1`,
    [shown],
  );
  return rows;
}

/** An account or address that a top-up can be sent to. */
export interface TopUpPlace {
  id: string;
  holder: string;
  /** The account's last digits, or the start of the address. */
  mark: string;
}

export async function listVirtualAccounts(tx: Transaction): Promise<TopUpPlace[]> {
  const { rows } = await tx.query<TopUpPlace>(
    `select id, account_holder_name as holder, '··' || right(account_number, 4) as mark
     from virtual_accounts order by seq desc limit $1`,
    [shownPlaces],
  );
  return rows;
}

export async function listLiquidationAddresses(tx: Transaction): Promise<TopUpPlace[]> {
  const { rows } = await tx.query<TopUpPlace>(
    `select place.id, left(address, 8) || '…' as mark,
       coalesce(customer.business_name, customer.full_name, customer.email) as holder
     from liquidation_addresses place join customers customer on customer.id = place.customer_id
     order by place.seq desc limit $1`,
    [shownPlaces],
  );
  return rows;
}
