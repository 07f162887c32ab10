-- Who reads the contact and the billing address of an account has shown it before alerts and invoices go there.

alter table kelpie.partners
  add column contact_email_confirmed_at timestamptz check (contact_email is not null or contact_email_confirmed_at is null),
  add column billing_email_confirmed_at timestamptz check (billing_email is not null or billing_email_confirmed_at is null);
-- What was there before had been written to already.
update kelpie.partners
set contact_email_confirmed_at = case when contact_email is not null then created_at end,
  billing_email_confirmed_at = case when billing_email is not null then created_at end;
grant update (contact_email_confirmed_at, billing_email_confirmed_at) on kelpie.partners to kelpie_service;
create trigger unconfirm_addresses before insert or update of contact_email, billing_email on kelpie.partners
  for each row execute function kelpie.unconfirm_addresses();
