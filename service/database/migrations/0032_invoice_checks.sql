-- Outside a transaction
alter table kelpie.invoices validate constraint invoices_status_check;
alter table kelpie.invoices validate constraint invoices_paid_check;
alter table kelpie.invoices validate constraint invoices_void_check;
alter table kelpie.invoices validate constraint invoices_overdue_check;
create index concurrently invoices_to_collect on kelpie.invoices (due_at) where status = 'issued';
