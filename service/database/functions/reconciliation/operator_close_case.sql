-- Closes an open reconciliation case, for an operator, and adds that to its history. Requires a case.close entry in the
-- audit log in the same transaction.
-- Locks: the case's row, until commit.
-- Returns false when there is no such case, or it is closed already.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_close_case(of_case uuid, at timestamptz, new_reason text) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('case.close', of_case::text);
  update kelpie.cases c set closed_at = at, closed_by = kelpie.acting_operator(), closed_reason = new_reason
  where c.id = of_case and c.closed_at is null;
  if not found then
    return false;
  end if;
  perform kelpie.record_case_act(of_case, at, 'closed', new_reason, '{}');
  return true;
end;
$$;
