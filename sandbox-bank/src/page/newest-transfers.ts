import type { Transaction } from '../database.ts';
import type { State } from '../transfers/transfer.ts';

const shown = 50;

export interface ShownTransfer {
  id: string;
  created_at: Date;
  reference: string;
  amount_pence: bigint;
  state: State;
  forgotten: boolean;
  last_4: string;
}

export async function listNewestTransfers(tx: Transaction): Promise<ShownTransfer[]> {
  const { rows } = await tx.query<ShownTransfer>(
    `select transfer.id, transfer.created_at, reference, amount_pence, state, forgotten,
       right(account.account_number, 4) as last_4
     from transfers transfer join external_accounts account on account.id = transfer.external_account_id
     order by transfer.seq desc limit $1`,
    [shown],
  );
  return rows;
}
