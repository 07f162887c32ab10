-- Raises insufficient_privilege unless the newest audit log entry is of this action and subject, and was written by this
-- transaction. So no operator function changes anything without an entry in the same commit.
-- Returns the operator of that entry.
-- Callers: everyone
create or replace function kelpie.require_audit(of_action text, of_subject text) returns text
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
declare
  by_whom text;
begin
  select a.operator into by_whom from kelpie.audit_log a
  where a.seq = (select h.seq from kelpie.audit_head h)
    and a.tx = pg_current_xact_id() and a.action = of_action and a.subject = of_subject;
  if not found then
    raise exception 'an act of an operator that is not in the log' using errcode = 'insufficient_privilege';
  end if;
  return by_whom;
end;
$$;
