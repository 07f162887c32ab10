-- Locks an unused sign-up code before the business is created.
-- Guarantees: a second request with the same code waits here until the first one commits or rolls back.
-- Locks: the code's row, until commit.
-- Returns false when the code was used already, or isn't a sign-up code.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.lock_sign_up_code(of_code uuid) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform from kelpie.sign_in_codes c
  where c.id = of_code and c.sign_up_slug is not null and c.used_at is null for update;
  return found;
end;
$$;
