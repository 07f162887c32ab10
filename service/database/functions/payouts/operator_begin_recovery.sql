-- Closes live for an operator who restored the database, or can't tell whether it was. Requires a recovery.begin entry in
-- the audit log in the same transaction.
-- Returns the database's heartbeat: the caller raises the anchor past it.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_begin_recovery(why text, at timestamptz) returns bigint
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.begin_recovery(why, at, kelpie.require_audit('recovery.begin', 'live'));
  return (select h.number from kelpie.heartbeat h);
end;
$$;
