-- What corrections of a partner's cases moved in bank_wallet since an instant: those of balances and those of lines, apart.
-- Returns one row, with a sum of zero and a count of zero where there were none.
-- Callers: everyone
create or replace function kelpie.corrected_at_bank(
  of_partner uuid, of_environment kelpie.environment, since timestamptz
) returns table (total numeric, of_balance bigint, of_lines bigint)
  language sql stable
  set search_path = pg_catalog, pg_temp
as $$
  select coalesce(sum(l.amount), 0), count(*) filter (where c.kind = 'wallet_balance'),
    count(*) filter (where c.kind <> 'wallet_balance')
  from kelpie.cases c
  join kelpie.case_history h on h.case_id = c.id and h.what = 'corrected' and h.at >= since
  cross join unnest(h.transfer_ids) as t (id)
  join kelpie.ledger_entries l on l.transfer_id = t.id and l.account = 'bank_wallet'
    and l.partner_id = of_partner and l.environment = of_environment
  where c.partner_id = of_partner and c.environment = of_environment
$$;
