-- A partner's London calendar month so far: payouts created in it, and payouts completed in it that were created at most
-- `oldest` before it.
-- Callers: everyone
create or replace function kelpie.read_usage(of_partner uuid, of_environment kelpie.environment, at timestamptz, oldest interval)
  returns table (period_start date, created bigint, completed bigint, paid_pence numeric, fee_pence numeric)
  language plpgsql volatile
as $$
declare
  began_on date := date_trunc('month', at at time zone 'Europe/London');
  began_at timestamptz := began_on::timestamp at time zone 'Europe/London';
  -- Worked out once: inside the query it would be once per row.
  first_of_month uuid := kelpie.first_id_at(began_at);
  first_scanned uuid := kelpie.first_id_at(began_at - oldest);
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select began_on,
      count(*) filter (where p.id >= first_of_month),
      count(*) filter (where p.state = 'completed' and p.completed_at >= began_at),
      coalesce(sum(p.amount_pence) filter (where p.state = 'completed' and p.completed_at >= began_at), 0),
      coalesce(sum(p.fee_pence) filter (where p.state = 'completed' and p.completed_at >= began_at), 0)
    from kelpie.visible_payouts p
    where p.partner_id = of_partner and p.environment = of_environment and p.id >= first_scanned;
end;
$$;
