import type { MicroUsdc } from '../money/amounts.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import { findWalletBalance, lockWalletRow } from './store.ts';

export async function getBalance(calls: SingleCalls, owner: PartnerContext): Promise<MicroUsdc> {
  return present(await findWalletBalance(calls, owner));
}

/** What the wallet holds, and will until the end of this transaction. */
export async function lockBalance(tx: Transaction, owner: PartnerContext): Promise<MicroUsdc> {
  return present(await lockWalletRow(tx, owner));
}

function present(balance: string | null): MicroUsdc {
  if (balance === null) throw new Error('the partner has no wallet in this environment');
  return BigInt(balance);
}
