-- Each invoice is emailed once, by the job that its own transaction created.
alter table kelpie.invoices add column emailed_at timestamptz;
comment on column kelpie.invoices.emailed_at is
  'When its email was handed to the outbox. Null where nobody could be emailed, or before emails existed.';
grant update (emailed_at) on kelpie.invoices to kelpie_service;
