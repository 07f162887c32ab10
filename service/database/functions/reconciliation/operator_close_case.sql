-- Closes an open case, for an operator, with the act that settled it, and adds that to its history. Requires a case.close
-- entry in the audit log in the same transaction. Raises what assert_closing raises.
-- Locks: the case's row, until commit.
-- Returns false when there is no such case, or it is closed already.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_close_case(of_case uuid, at timestamptz, new_act text, new_reason text) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  found_case kelpie.cases;
begin
  perform kelpie.require_audit('case.close', of_case::text);
  select c.* into found_case from kelpie.cases c where c.id = of_case and c.closed_at is null for no key update;
  if not found then
    return false;
  end if;
  perform kelpie.set_partner_context(found_case.partner_id, found_case.environment);
  perform kelpie.assert_closing(found_case, new_act);
  update kelpie.cases c
  set closed_at = at, closed_by = kelpie.acting_operator(), closed_act = new_act, closed_reason = new_reason
  where c.id = of_case;
  perform kelpie.record_case_act(of_case, at, 'closed', new_reason, '{}');
  return true;
end;
$$;
