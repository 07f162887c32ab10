-- The part of prepare_month that adds up what leaves of a range of ids: per partner, account, reason and month of London. What sums
-- to nothing has a row as well, because the next day may add to it.
-- Callers: kelpie_ledger
create or replace function kelpie.carry_entries(of_month date, first_id uuid, before_id uuid) returns void
  language plpgsql volatile
as $$
begin
  insert into kelpie.carried_entries as c (
    month, partner_id, environment, account, reason, period, amount, entries, transfer_id, cause_id, first_version, held_before,
    last_version, held_after
  )
  select of_month, e.partner_id, e.environment, e.account, e.reason,
    to_char(kelpie.instant_of(e.transfer_id) at time zone 'Europe/London', 'YYYY-MM'),
    sum(e.amount), count(*), min(e.transfer_id::text)::uuid, min(e.cause_id::text)::uuid,
    min(e.wallet_version), (array_agg(e.wallet_balance_after + e.amount order by e.wallet_version))[1],
    max(e.wallet_version), (array_agg(e.wallet_balance_after order by e.wallet_version desc))[1]
  from kelpie.leaving_entries(of_month, first_id, before_id) e
  group by 2, 3, 4, 5, 6
  on conflict (month, partner_id, environment, account, reason, period) do update
  set amount = c.amount + excluded.amount, entries = c.entries + excluded.entries,
    transfer_id = least(c.transfer_id, excluded.transfer_id), cause_id = least(c.cause_id, excluded.cause_id),
    first_version = least(c.first_version, excluded.first_version),
    held_before = case when excluded.first_version < c.first_version then excluded.held_before else c.held_before end,
    last_version = greatest(c.last_version, excluded.last_version),
    held_after = case when excluded.last_version > c.last_version then excluded.held_after else c.held_after end;
end;
$$;
