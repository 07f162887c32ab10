import type { Call, SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../platform/database/transaction.ts';
import type { Account, Transfer } from './transfer.ts';

export interface PostedRow {
  transfer_id: string;
  posted: boolean;
  wallet_balance: string;
}

/** One round trip, whatever the number of transfers. */
export async function insertTransfers(tx: Transaction, transfers: readonly Transfer[]): Promise<PostedRow[]> {
  const entries = transfers.flatMap((transfer) =>
    transfer.lines.map((line, at) => ({ transfer, line, number: at + 1 })),
  );
  const { rows } = await tx.query<PostedRow>(
    `select transfer_id, posted, wallet_balance
     from kelpie.post_transfers($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      entries.map(({ transfer }) => transfer.id),
      entries.map(({ number }) => number),
      entries.map(({ transfer }) => transfer.partnerId),
      entries.map(({ transfer }) => transfer.environment),
      entries.map(({ line }) => line.account),
      entries.map(({ line }) => line.amount.toString()),
      entries.map(({ transfer, line }) => line.reason ?? transfer.reason),
      entries.map(({ transfer }) => transfer.causeId),
    ],
  );
  return rows;
}

/** An empty one; it is filled by posting to it. */
export async function insertWallet(tx: Transaction, { partnerId, environment }: PartnerContext): Promise<void> {
  await tx.query('insert into kelpie.wallets (partner_id, environment) values ($1, $2)', [partnerId, environment]);
}

export async function lockWalletRow(
  tx: Transaction,
  { partnerId, environment }: PartnerContext,
): Promise<string | null> {
  const { rows } = await tx.query<{ balance: string | null }>('select kelpie.lock_wallet($1, $2) as balance', [
    partnerId,
    environment,
  ]);
  return rows[0]?.balance ?? null;
}

const findBalanceCall: Call = {
  name: 'find_wallet_balance',
  text: 'select * from kelpie.find_wallet_balance($1, $2)',
};

export async function findWalletBalance(
  calls: SingleCalls,
  { partnerId, environment }: PartnerContext,
): Promise<string | null> {
  const [row] = await calls.call<{ balance_micro_usdc: string }>(findBalanceCall, [partnerId, environment]);
  return row?.balance_micro_usdc ?? null;
}

export interface EntryRow {
  transfer_id: string;
  account: Account;
  /** Of the account, and so of the amount: micro-USDC, pence or millionths of a pound. */
  currency: 'USDC' | 'GBP' | 'GBP millionths';
  amount: string;
  reason: string;
  wallet_balance_after: string | null;
}

/**
 * The entries of some transfers, each transfer's in the order of its lines. Those that may have left the database come as lines of
 * the archive.
 */
export async function listEntries(
  tx: Transaction,
  transferIds: readonly string[],
  archived: readonly string[] = [],
): Promise<EntryRow[]> {
  const { rows } = await tx.query<EntryRow>(
    `select transfer_id, account, kelpie.currency_of(account) as currency, amount, reason, wallet_balance_after
     from (
       select * from kelpie.ledger_entries where transfer_id = any ($1::uuid[])
       union
       select e.* from unnest($2::text[]) as archived
       cross join lateral jsonb_populate_record(null::kelpie.ledger_entries, archived::jsonb) e
     ) listed
     order by transfer_id, line limit 1000`,
    [transferIds, archived],
  );
  return rows;
}
