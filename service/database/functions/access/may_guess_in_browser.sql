-- Counts a guess in a browser that the address has signed in from before, and returns whether it may be judged: at most ten
-- wrong ones per browser and UTC day. The caller takes a right one back.
-- Owner: kelpie_access
-- Callers: none
create or replace function kelpie.may_guess_in_browser(of_browser uuid, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  today date := (at at time zone 'utc')::date;
  made integer;
begin
  update kelpie.browsers b
  set guesses = case when b.guessed_on = today then b.guesses else 0 end + 1, guessed_on = today
  where b.id = of_browser returning b.guesses into made;
  return made <= 10;
end;
$$;
