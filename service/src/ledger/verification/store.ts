import type { Transaction } from '../../platform/database/transaction.ts';
import type { IdSpan } from './id-span.ts';

export interface DifferenceRow {
  kind: string;
  what: string;
  expected: string;
  found: string;
}

/**
 * One picture of the whole: payouts that go on meanwhile would look like differences otherwise. A day is joined and sorted in
 * memory and planned for its own size. Compiling the statements would take longer than they do.
 */
export async function readOneSnapshot(tx: Transaction): Promise<void> {
  await tx.query(
    `set transaction isolation level repeatable read, read only;
     set local work_mem = '128MB'; set local plan_cache_mode = force_custom_plan; set local jit = off`,
  );
}

/** Every transfer by itself, in one pass over the primary key. */
const sumsSql = `
  with transfers as (
    select transfer_id, count(*) as lines, max(line) as last_line,
      sum(amount) filter (where kelpie.currency_of(account) = 'USDC') as usdc,
      sum(amount) filter (where kelpie.currency_of(account) = 'GBP') as gbp,
      sum(amount) filter (where kelpie.currency_of(account) = 'GBP millionths') as gbp_millionths,
      min(uuid_hash_extended(partner_id, 0)) = max(uuid_hash_extended(partner_id, 0)) and min(environment) = max(environment)
        as is_of_one,
      string_agg(line || ': ' || environment || ' ' || account || ' ' || reason, ', ') filter (
        where not kelpie.may_post(reason, account)
          or case environment when 'live' then reason like 'sandbox.%' else kelpie.currency_of(account) <> 'USDC' end
      ) as unlisted
    from kelpie.ledger_entries
    where transfer_id >= $1 and transfer_id < $2
    group by transfer_id
  )
  select wrong.*
  from transfers t
  cross join lateral (values
    ('transfer does not sum to zero', t.transfer_id || ' USDC', '0', nullif(t.usdc, 0)::text),
    ('transfer does not sum to zero', t.transfer_id || ' GBP', '0', nullif(t.gbp, 0)::text),
    ('transfer does not sum to zero', t.transfer_id || ' GBP millionths', '0', nullif(t.gbp_millionths, 0)::text),
    ('lines of a transfer are not numbered from one', t.transfer_id::text, t.lines::text, nullif(t.last_line, t.lines)::text),
    ('transfer of several partners', t.transfer_id::text, 'one partner', case when not t.is_of_one then 'several' end),
    ('entry that is not listed', t.transfer_id::text, 'a listed account and reason of its environment', t.unlisted)
  ) as wrong (kind, what, expected, found)
  where (t.usdc <> 0 or t.gbp <> 0 or t.gbp_millionths <> 0 or t.last_line <> t.lines or not t.is_of_one or t.unlisted is not null)
    and wrong.found is not null
  limit $3`;

export async function listSumDifferences(tx: Transaction, span: IdSpan, limit: number): Promise<DifferenceRow[]> {
  const { rows } = await tx.query<DifferenceRow>(sumsSql, [span.first, span.before, limit]);
  return rows;
}

/**
 * Each wallet entry must follow from the one before it: so one that was changed, removed or doubled shows, also where its
 * transfer was made to sum to zero again. The one before may be older than the span; then the index finds it by its number, or
 * what an archived month carried over has it.
 */
const chainsSql = `
  with moved as (
    select partner_id, environment, transfer_id, -amount as change, wallet_balance_after as balance, wallet_version as version,
      lag(wallet_balance_after) over w as balance_before, lag(wallet_version) over w as version_before
    from kelpie.ledger_entries
    where account = 'wallet' and transfer_id >= $1 and transfer_id < $2
    window w as (partition by partner_id, environment order by wallet_version, transfer_id)
  ),
  chained as (
    select partner_id, environment, transfer_id, change, balance, version,
      case
        when version = 1 and version_before is null then 0
        when version_before in (version, version - 1) then balance_before
        else kelpie.wallet_balance_at(m.partner_id, m.environment, m.version - 1, null)
      end as balance_before,
      case when version_before = version then version end as doubled
    from moved m
  )
  select 'wallet entry does not follow from the one before' as kind, transfer_id::text as what,
    coalesce((balance_before + change)::text, 'an entry before it') as expected, balance || ' as version ' || version as found
  from chained where balance is distinct from balance_before + change or doubled is not null
  union all
  select 'wallet is not its newest entry', m.partner_id || ' ' || m.environment, 'version ' || max(m.version),
    coalesce('version ' || w.version, 'no wallet')
  from moved m left join kelpie.wallets w using (partner_id, environment)
  group by m.partner_id, m.environment, w.version having max(m.version) > coalesce(w.version, 0)
  limit $3`;

export async function listChainDifferences(tx: Transaction, span: IdSpan, limit: number): Promise<DifferenceRow[]> {
  const { rows } = await tx.query<DifferenceRow>(chainsSql, [span.first, span.before, limit]);
  return rows;
}

const balancesSql = `
  select 'wallet is not its newest entry' as kind, w.partner_id || ' ' || w.environment as what,
    coalesce(newest.balance, 0)::text as expected, w.balance_micro_usdc || ' as version ' || w.version as found
  from kelpie.wallets w
  cross join lateral (select kelpie.wallet_balance_at(w.partner_id, w.environment, w.version, null) as balance) newest
  where w.balance_micro_usdc is distinct from case w.version when 0 then 0 else newest.balance end
  limit $1`;

export async function listBalanceDifferences(tx: Transaction, limit: number): Promise<DifferenceRow[]> {
  const { rows } = await tx.query<DifferenceRow>(balancesSql, [limit]);
  return rows;
}

interface CountRow {
  entries: string;
  transfers: string;
  wallets: string;
}

export async function countRows(tx: Transaction, span: IdSpan): Promise<CountRow> {
  const { rows } = await tx.query<CountRow>(
    `select count(*) as entries, count(*) filter (where line = 1) as transfers, (select count(*) from kelpie.wallets) as wallets
     from kelpie.ledger_entries where transfer_id >= $1 and transfer_id < $2`,
    [span.first, span.before],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a count has a row');
  return row;
}
