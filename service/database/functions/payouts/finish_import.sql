-- Records that an import found nothing missing any more, in the recovery that is in progress.
-- Returns false where none is in progress.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.finish_import(of_recovery uuid, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update kelpie.recoveries r set imported_at = greatest(at, r.began_at) where r.id = of_recovery and r.opened_at is null;
  return found;
end;
$$;
