-- Returns the operator of the newest entry in the audit log.
-- Call it only after require_audit, which checks that this transaction wrote the entry. The log's head is then locked, so
-- no other entry can follow before commit.
-- Callers: everyone
create or replace function kelpie.acting_operator() returns text
  language sql stable
  set search_path = pg_catalog, pg_temp
as $$
  select a.operator from kelpie.audit_log a where a.seq = (select h.seq from kelpie.audit_head h)
$$;
