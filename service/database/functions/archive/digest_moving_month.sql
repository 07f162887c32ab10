-- Digests what the database holds of a month that is on its way to the archive or back, for operator_finish_archive and
-- operator_finish_return, which hold the audit log and so must be brief. Needs no entry in the audit log: it only looks.
-- Cost: it reads the month.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.digest_moving_month(of_month date) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  suffix text;
begin
  -- Nothing is loaded meanwhile.
  select case m.state when 'writing' then '' when 'returning' then to_char(of_month, '_YYYY_MM') end into suffix
  from kelpie.archived_months m where m.month = of_month for update;
  if suffix is null then
    return;
  end if;
  update kelpie.archived_months m
  set held_digest = (
    select h.payouts || ' ' || h.digest
    from kelpie.archived_rows_digest(
      'payouts' || suffix, 'payout_history' || suffix, kelpie.first_id_at(of_month::timestamp at time zone 'utc'),
      kelpie.first_id_at((of_month + interval '1 month') at time zone 'utc')
    ) h
  )
  where m.month = of_month;
end;
$$;
