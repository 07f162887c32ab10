-- Retrieves the encrypted email content of a sign-in code.
-- It must not lock the row. Signing in locks it too, and the wait would reveal whether there is an email to write, and so
-- whether the address has an account.
-- Returns no row when the content was deleted already.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.show_sign_in_mail(of_code uuid)
  returns table (mail_encrypted bytea, is_sign_up boolean, created_at timestamptz)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select c.mail_encrypted, c.sign_up_slug is not null, c.created_at from kelpie.sign_in_codes c
    where c.id = of_code and c.mail_encrypted is not null;
end;
$$;
