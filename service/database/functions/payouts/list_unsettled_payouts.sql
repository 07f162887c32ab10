-- Payouts of one partner whose outcome is not known, that were created before an instant, with when their order was first
-- tried (null where that is not known). Such a payout has a lease or an open case.
-- Callers: everyone
create or replace function kelpie.list_unsettled_payouts(
  of_partner uuid, of_environment kelpie.environment, created_before timestamptz, at_most integer
) returns table (payout_id uuid, claimed_at timestamptz)
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select p.id, k.claimed_at
    from (
      select l.payout_id as id from kelpie.payout_leases l
      where l.partner_id = of_partner and l.environment = of_environment
      union
      select c.payout_id from kelpie.cases c
      where c.partner_id = of_partner and c.environment = of_environment and c.closed_at is null and c.payout_id is not null
    ) waiting
    join kelpie.payouts p on p.id = waiting.id
    join kelpie.idempotency_keys k on k.order_id = p.order_id
    where p.state in ('sending', 'pending') and p.id < kelpie.first_id_at(created_before)
    order by p.id limit at_most;
end;
$$;
