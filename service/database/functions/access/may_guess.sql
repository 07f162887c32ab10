-- Counts a guess at an address before it is judged, and returns whether it may be judged: at most ten wrong ones per day.
-- The caller takes a right one back.
-- Owner: kelpie_access
-- Callers: none
create or replace function kelpie.may_guess(of_email_hmac bytea, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  made integer;
begin
  insert into kelpie.wrong_guesses as g (email_hmac, on_day, guesses)
  values (of_email_hmac, (at at time zone 'utc')::date, 1)
  on conflict (email_hmac, on_day) do update set guesses = g.guesses + 1
  returning g.guesses into made;
  return made <= 10;
end;
$$;
