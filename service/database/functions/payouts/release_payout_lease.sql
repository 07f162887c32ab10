-- Releases the lease of a payout without changing it: it is due again at next_due_at, or never where that is null.
-- A webhook that arrived during the lease set the due time before the lease's end; such a payout stays due at once.
-- Callers: everyone
create or replace function kelpie.release_payout_lease(
  of_partner uuid, of_environment kelpie.environment, of_payout uuid, next_due_at timestamptz
) returns void
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  if next_due_at is null then
    delete from kelpie.payout_leases o where o.payout_id = of_payout and o.due_at >= o.leased_until;
    update kelpie.payout_leases o set leased_until = '-infinity', claims = 0 where o.payout_id = of_payout;
  else
    insert into kelpie.payout_leases as o (payout_id, partner_id, environment, due_at, leased_until)
    values (of_payout, of_partner, of_environment, next_due_at, '-infinity')
    on conflict (payout_id) do update
    set due_at = case when o.due_at < o.leased_until then o.due_at else next_due_at end, leased_until = '-infinity', claims = 0;
  end if;
end;
$$;
