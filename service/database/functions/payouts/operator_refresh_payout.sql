-- Wakes a payout for an operator, so that a worker asks the bank about it next. Requires a payout.refresh entry in the audit
-- log in the same transaction.
-- Locks: the payout's lease row.
-- Returns false when there is no such payout, or the bank never received it ('not_created').
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_refresh_payout(of_payout uuid, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('payout.refresh', of_payout::text);
  insert into kelpie.payout_leases as o (payout_id, partner_id, environment, due_at, leased_until)
  select p.id, p.partner_id, p.environment, at, '-infinity'
  from kelpie.payouts p where p.id = of_payout and p.state <> 'not_created'
  on conflict (payout_id) do update set due_at = least(o.due_at, at);
  return found;
end;
$$;
