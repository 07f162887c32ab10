-- Returns the login of the operator who acts: the caller's own, or that of the connection that vouches for this transaction.
-- Raises insufficient_privilege where there is none.
-- An act that writes the service's tables runs under the service's role, with its audit entry in the same transaction.
-- For that time the operator's own connection holds a lock derived from a secret voucher (see vouch_for_act). The service's
-- connection proves that it knows the voucher by naming it here.
-- Callers: everyone
create or replace function kelpie.operator_login(voucher bytea) returns text
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
declare
  login text;
begin
  if kelpie.is_operator(session_user) then
    return session_user;
  end if;
  select a.usename into login from pg_locks l
  join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and a.datname = current_database() and kelpie.is_operator(a.usename)
    and (l.classid::bigint << 32 | l.objid::bigint) = kelpie.lock_of_voucher(voucher);
  if not found then
    raise exception 'no operator vouches for this act' using errcode = 'insufficient_privilege';
  end if;
  return login;
end;
$$;
