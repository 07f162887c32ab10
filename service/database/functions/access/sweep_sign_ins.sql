-- Deletes sign-in codes after a day, wrong-guess counters after a week, sessions after 30 days, and browsers after 400 days
-- without a sign-in.
-- Deletes at most `at_most` rows from each of the four tables, and returns how many in total.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.sweep_sign_ins(at timestamptz, at_most integer) returns bigint
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  swept bigint;
  more bigint;
begin
  delete from kelpie.sign_in_codes where id in (
    select c.id from kelpie.sign_in_codes c where c.created_at < at - interval '1 day' limit at_most
  );
  get diagnostics swept = row_count;
  delete from kelpie.wrong_guesses where (email_hmac, on_day) in (
    select g.email_hmac, g.on_day from kelpie.wrong_guesses g
    where g.on_day < (at at time zone 'utc')::date - 7 limit at_most
  );
  get diagnostics more = row_count;
  swept := swept + more;
  delete from kelpie.sessions where id in (
    select s.id from kelpie.sessions s where s.created_at < at - interval '30 days' limit at_most
  );
  get diagnostics more = row_count;
  swept := swept + more;
  delete from kelpie.browsers where id in (
    select b.id from kelpie.browsers b where b.last_used_at < at - interval '400 days' limit at_most
  );
  get diagnostics more = row_count;
  return swept + more;
end;
$$;
