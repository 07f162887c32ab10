-- A partner's recipients, by account, type and name, the last paid first. Payouts that were rebuilt from the bank's record
-- go by what the bank says of the recipient. It looks at the newest `max_scanned` payouts.
-- Callers: everyone
create or replace function kelpie.list_recipients(
  of_partner uuid, of_environment kelpie.environment, from_id uuid, at_most integer, max_scanned integer
) returns table (recipient_name text, account_last4 text, payouts bigint, paid_pence numeric, last_paid_at timestamptz)
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select (array_agg(p.recipient_name order by p.id desc))[1], (array_agg(p.account_last4))[1],
      count(*) filter (where p.state = 'completed'),
      coalesce(sum(p.amount_pence) filter (where p.state = 'completed'), 0),
      coalesce(max(p.completed_at) filter (where p.state = 'completed'), max(kelpie.instant_of(p.id)))
    from (
      select * from kelpie.visible_payouts each
      where each.partner_id = of_partner and each.environment = of_environment and each.id >= from_id
      order by each.id desc limit max_scanned
    ) p
    group by p.account_index, case when p.account_index is null then (p.recipient_name, p.account_last4)::text end
    order by 5 desc, (array_agg(p.id order by p.id desc))[1] desc limit at_most;
end;
$$;
