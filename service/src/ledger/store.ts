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

/** The entries of some transfers, each transfer's in the order of its lines. */
export async function listEntries(tx: Transaction, transferIds: readonly string[]): Promise<EntryRow[]> {
  const { rows } = await tx.query<EntryRow>(
    `select transfer_id, account, kelpie.currency_of(account) as currency, amount, reason, wallet_balance_after
     from kelpie.ledger_entries
     where transfer_id = any ($1::uuid[]) order by transfer_id, line limit 1000`,
    [transferIds],
  );
  return rows;
}

/** One picture of the whole: payouts that go on meanwhile would look like differences otherwise. */
export async function readOneSnapshot(tx: Transaction): Promise<void> {
  await tx.query('set transaction isolation level repeatable read, read only');
}

export interface DifferenceRow {
  kind: string;
  what: string;
  expected: string;
  found: string;
}

/**
 * Recomputes what the ledger says from its entries alone. Each wallet entry must follow from the one before it: so one that
 * was changed, removed or doubled shows, also where its transfer was made to sum to zero again. What has no wallet entry is
 * held to its cause: nothing is held or in transit with the wrong sign, nor in transit for what is no longer held.
 */
const differencesSql = `
  with wallet_entries as (
    select partner_id, environment, transfer_id, -amount as change, wallet_balance_after as balance, wallet_version as version,
      lag(wallet_balance_after, 1, 0::bigint) over w as balance_before, lag(wallet_version, 1, 0::bigint) over w as version_before
    from kelpie.ledger_entries
    where account = 'wallet'
    window w as (partition by partner_id, environment order by wallet_version, transfer_id)
  ),
  causes as (
    select cause_id, coalesce(sum(amount) filter (where account = 'held'), 0) as held,
      coalesce(sum(amount) filter (where account = 'in_transit'), 0) as in_transit
    from kelpie.ledger_entries
    where account in ('held', 'in_transit')
    group by cause_id
  ),
  sums as (
    select partner_id, environment, sum(change) as balance, count(*) as version from wallet_entries group by 1, 2
  )
  select 'transfer does not sum to zero' as kind, transfer_id || ' ' || kelpie.currency_of(account) as what,
    '0' as expected, sum(amount)::text as found
  from kelpie.ledger_entries group by transfer_id, kelpie.currency_of(account) having sum(amount) <> 0
  union all
  select 'lines of a transfer are not numbered from one', transfer_id::text, count(*)::text, max(line)::text
  from kelpie.ledger_entries group by transfer_id having max(line) <> count(*)
  union all
  select 'transfer of several partners', transfer_id::text, '1', count(distinct (partner_id, environment))::text
  from kelpie.ledger_entries group by transfer_id having count(distinct (partner_id, environment)) > 1
  union all
  select 'entry that is not listed', transfer_id || ' line ' || line, 'a listed account and reason of its environment',
    environment || ' ' || account || ' ' || reason
  from kelpie.ledger_entries
  where not kelpie.may_post(reason, account)
    or case environment when 'live' then reason like 'sandbox.%' else kelpie.currency_of(account) <> 'USDC' end
  union all
  select 'cause holds or moves what it can not', cause_id::text, 'held and in transit as after some event',
    'held ' || held || ', in transit ' || in_transit
  from causes where held > 0 or in_transit < 0 or (held = 0 and in_transit <> 0)
  union all
  select 'wallet entry does not follow from the one before', transfer_id::text,
    (balance_before + change) || ' as version ' || (version_before + 1), balance || ' as version ' || version
  from wallet_entries where balance <> balance_before + change or version <> version_before + 1
  union all
  select 'wallet is not the sum of its entries', coalesce(w.partner_id, s.partner_id) || ' ' || coalesce(w.environment, s.environment),
    coalesce(s.balance, 0) || ' as version ' || coalesce(s.version, 0),
    coalesce(w.balance_micro_usdc, 0) || ' as version ' || coalesce(w.version, 0)
  from kelpie.wallets w full join sums s using (partner_id, environment)
  where (coalesce(w.balance_micro_usdc, 0), coalesce(w.version, 0)) is distinct from (coalesce(s.balance, 0), coalesce(s.version, 0))
  limit $1`;

export async function listDifferenceRows(tx: Transaction, limit: number): Promise<DifferenceRow[]> {
  const { rows } = await tx.query<DifferenceRow>(differencesSql, [limit]);
  return rows;
}

export interface CountRow {
  entries: string;
  transfers: string;
  wallets: string;
}

export async function countRows(tx: Transaction): Promise<CountRow> {
  const { rows } = await tx.query<CountRow>(
    `select count(*) as entries, count(*) filter (where line = 1) as transfers, (select count(*) from kelpie.wallets) as wallets
     from kelpie.ledger_entries`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a count has a row');
  return row;
}
