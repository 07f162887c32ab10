-- Deletes the encrypted email content of a sign-in code, in the transaction that queues the email.
-- Guarantees: of two workers that handle the same code, only one commits its email.
-- Locks: the code's row. Call it last in the transaction: signing in waits for this row too, and a longer wait would reveal
--   whether the address has an account.
-- Returns false when another worker deleted the content first. The caller must then roll back.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.forget_sign_in_mail(of_code uuid) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update kelpie.sign_in_codes c set mail_encrypted = null where c.id = of_code and c.mail_encrypted is not null;
  return found;
end;
$$;
