-- Lowers how far the admins of a partner can raise its limits, and the limits with it, for an operator. Lowering takes one
-- person. Requires an entry of `limits.lower` about that partner in the audit log in the same transaction.
-- Returns false, and changes nothing, where it is as low already, or the partner has no such environment.
-- Locks: the wallet, then the limits.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_lower_limit(of_partner uuid, of_environment kelpie.environment, to_pence bigint)
  returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('limits.lower', of_partner::text);
  if not exists (
    select from kelpie.partner_environments e where e.partner_id = of_partner and e.environment = of_environment
  ) or exists (
    select from kelpie.limits_of(of_partner, of_environment) l where l.highest_daily_pence <= to_pence
  ) then
    return false;
  end if;
  perform kelpie.keep_highest_limit(of_partner, of_environment, to_pence);
  return true;
end;
$$;
