-- Suspends a partner, for an operator (operator_activate_partner takes two). Requires an entry of that action in the audit
-- log in the same transaction.
-- Guarantees: only the listed changes of status are possible. Others raise check_violation.
-- Returns false, and changes nothing, when the partner is no longer in `from_status`.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_set_status(of_partner uuid, of_action text, from_status text, to_status text) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit(of_action, of_partner::text);
  if (of_action, from_status, to_status) not in (
    ('partner.suspend', 'active', 'suspended'), ('partner.suspend', 'onboarding', 'suspended')
  ) then
    raise exception 'a partner cannot change from % to %', from_status, to_status using errcode = 'check_violation';
  end if;
  update kelpie.partners p set status = to_status where p.id = of_partner and p.status = from_status;
  return found;
end;
$$;
