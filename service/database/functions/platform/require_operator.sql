-- Raises insufficient_privilege unless the caller is an operator, or an operator vouches for this transaction.
-- An act that writes the service's tables runs under the service's role, with its audit entry in the same transaction.
-- For that time the operator's own connection holds a lock derived from a secret voucher (see vouch_for_act). The service's
-- connection proves that it knows the voucher by naming it here.
-- Callers: everyone
create or replace function kelpie.require_operator(voucher bytea) returns void
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
begin
  if session_user <> 'kelpie_operator' and not exists (
    select from pg_locks l
    join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and a.datname = current_database() and a.usename = 'kelpie_operator'
      and (l.classid::bigint << 32 | l.objid::bigint) = kelpie.lock_of_voucher(voucher)
  ) then
    raise exception 'no operator vouches for this act' using errcode = 'insufficient_privilege';
  end if;
end;
$$;
