import type { DifferenceRow } from '../ledger/index.ts';
import type { Transaction } from '../platform/database/transaction.ts';

const differencesSql = `
  with books as (
    select cause_id, partner_id, environment,
      coalesce(sum(amount) filter (where account = 'bank_wallet'), 0) as bank_wallet,
      coalesce(sum(amount) filter (where account = 'partner_receivable'), 0) as owed,
      coalesce(sum(amount) filter (where account = 'wallet'), 0) as wallet
    from kelpie.ledger_entries where reason in ('deposit.credited', 'deposit.reversed')
    group by cause_id, partner_id, environment
  ),
  expected as (
    select id, partner_id, environment,
      case when credited_at is null then 0 else net_micro_usdc - coalesce(reversed_micro_usdc, 0) end as bank_wallet,
      owed_micro_usdc - repaid_micro_usdc as owed
    from kelpie.deposits
  ),
  compared as (
    select coalesce(e.id, b.cause_id) as id, e.id is null as is_unknown,
      row(e.bank_wallet, e.owed, -e.bank_wallet - e.owed)::text as expected,
      row(coalesce(b.bank_wallet, 0), coalesce(b.owed, 0), coalesce(b.wallet, 0))::text as found
    from expected e
    full join books b on b.cause_id = e.id and b.partner_id = e.partner_id and b.environment = e.environment
  )
  select 'entries of no deposit' as kind, id::text as what, 'none' as expected, found from compared where is_unknown
  union all
  select 'deposit is not what was booked for it', id || ' (bank wallet, owed, wallet)', expected, found
  from compared where not is_unknown and found <> expected
  union all
  select 'transfer is not in the history of its deposit', coalesce(p.transfer_id, h.transfer_id)::text,
    coalesce(h.deposit_id::text, 'none'), coalesce(p.cause_id::text, 'none')
  from (
    select distinct cause_id, transfer_id from kelpie.ledger_entries where reason in ('deposit.credited', 'deposit.reversed')
  ) p
  full join (select deposit_id, transfer_id from kelpie.deposit_history where transfer_id is not null) h
    on h.deposit_id = p.cause_id and h.transfer_id = p.transfer_id
  where p.transfer_id is null or h.transfer_id is null
  limit $1`;

/** Holds every deposit against the ledger: what was credited and reversed is what the deposit says, and nothing else was. */
export async function verifyDeposits(tx: Transaction, most: number): Promise<DifferenceRow[]> {
  const { rows } = await tx.query<DifferenceRow>(differencesSql, [most]);
  return rows;
}
