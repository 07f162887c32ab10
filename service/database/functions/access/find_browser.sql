-- Finds the browser with this cookie, if the address has signed in from it within 400 days. Null otherwise.
-- Owner: kelpie_access
-- Callers: none
create or replace function kelpie.find_browser(of_email_hmac bytea, of_token_hmac bytea, at timestamptz) returns uuid
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select b.id from kelpie.browsers b
    where b.email_hmac = of_email_hmac and b.token_hmac = of_token_hmac and b.last_used_at > at - interval '400 days'
  );
end;
$$;
