-- Locks the head of the audit log before an operator's act, so that no other transaction appends until commit.
-- Locks: the head of the audit log, until commit.
-- Returns the number and MAC of the last entry, and the MAC of the head, which is null before the log was started.
-- Owner: kelpie_access
-- Callers: kelpie_operator, kelpie_service
create or replace function kelpie.lock_audit_head(voucher bytea) returns table (seq bigint, mac bytea, head_mac bytea)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.operator_login(voucher);
  return query select h.seq, h.mac, h.head_mac from kelpie.audit_head h for no key update;
end;
$$;
