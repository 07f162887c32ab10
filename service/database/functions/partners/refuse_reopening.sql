-- Trigger function that keeps a closed partner closed, since the day it was closed on.
-- Applied after: 0002
-- Callers: everyone
create or replace function kelpie.refuse_reopening() returns trigger
  language plpgsql
as $$
begin
  if old.closed_at is not null and (new.status, new.closed_at) is distinct from (old.status, old.closed_at) then
    raise exception 'a closed partner stays closed' using errcode = 'restrict_violation';
  end if;
  return new;
end;
$$;
