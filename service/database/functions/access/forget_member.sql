-- Deletes what is kept of an address to sign in with: memberships, sessions with their confirmations, codes and browsers. For
-- operator_erase_member, which has decided that it may happen.
-- Owner: kelpie_access
-- Callers: kelpie_payouts
create or replace function kelpie.forget_member(of_email text, of_email_hmac bytea) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  delete from kelpie.members m where m.email = of_email;
  update kelpie.members m set invited_by = 'erased' where m.invited_by = of_email;
  update kelpie.api_keys k set created_by = 'erased' where k.created_by = of_email;
  delete from kelpie.sessions s where s.email = of_email;
  delete from kelpie.sign_in_codes c where c.email_hmac = of_email_hmac;
  delete from kelpie.browsers b where b.email_hmac = of_email_hmac;
end;
$$;
