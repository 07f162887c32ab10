-- Which payouts of a partner are the newest before an id, newest first, and what each was last changed by: its revision and
-- the instant of that, or of its erasure. For a caller that knows most of them already.
-- Callers: everyone
create or replace function kelpie.list_payout_revisions(
  of_partner uuid, of_environment kelpie.environment, before_id uuid, at_most integer
) returns table (id uuid, revision integer, updated_at timestamptz)
  language plpgsql volatile
  -- Otherwise a plan made for small partners would read and sort all payouts of a large one. With the environment in the
  -- order, that of the partner's index, there is a plan that needs no sort.
  set enable_sort = off
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select p.id, p.revision, coalesce(p.erased_at, p.updated_at)
    from kelpie.visible_payouts p
    where p.partner_id = of_partner and p.environment = of_environment and p.id < before_id
    order by p.environment desc, p.id desc limit at_most;
end;
$$;
