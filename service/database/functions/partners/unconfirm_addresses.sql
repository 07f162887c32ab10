-- A trigger: an address that is set is not confirmed yet, whatever the statement says.
-- Applied after: 0001
-- Callers: everyone
create or replace function kelpie.unconfirm_addresses() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'INSERT' or new.contact_email is distinct from old.contact_email then
    new.contact_email_confirmed_at := null;
  end if;
  if tg_op = 'INSERT' or new.billing_email is distinct from old.billing_email then
    new.billing_email_confirmed_at := null;
  end if;
  return new;
end;
$$;
