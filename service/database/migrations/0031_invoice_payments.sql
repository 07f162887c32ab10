-- Invoices are paid, fall overdue and are voided; accounts are closed. docs/billing.md says what each of them books.

-- Our own bank account in pounds, to which partners pay their invoices.
alter type kelpie.ledger_account add value 'cash' after 'credit_due';

alter table kelpie.invoices
  -- The sum of its payments.
  add column paid_pence bigint not null default 0,
  -- The day in London on which the payment that settled it was received.
  add column paid_on date,
  -- When it was found overdue. It stays once the invoice is paid.
  add column overdue_at timestamptz,
  add column voided_at timestamptz,
  -- What voiding it booked. Null where there was nothing to cancel.
  add column void_transfer_id uuid,
  -- When these emails were handed to the outbox, each once.
  add column overdue_emailed_at timestamptz,
  add column paid_emailed_at timestamptz;
alter table kelpie.invoices drop constraint invoices_status_check;
alter table kelpie.invoices add constraint invoices_status_check
  check (status in ('draft', 'issued', 'overdue', 'paid', 'void')) not valid;
-- It is paid once its payments reach its total, and they never exceed it. Nothing was paid of one that is void.
alter table kelpie.invoices add constraint invoices_paid_check check (
  paid_pence between 0 and total_pence and (status = 'paid') = (paid_pence = total_pence and total_pence > 0)
  and (status = 'paid') = (paid_on is not null)
) not valid;
alter table kelpie.invoices add constraint invoices_void_check check (
  (status = 'void') = (voided_at is not null) and (status <> 'void' or paid_pence = 0)
  and (void_transfer_id is null or status = 'void')
) not valid;
alter table kelpie.invoices add constraint invoices_overdue_check check (
  overdue_at > due_at and (status <> 'overdue' or overdue_at is not null)
) not valid;
create trigger legal_changes before update on kelpie.invoices
  for each row execute function kelpie.refuse_illegal_invoice_change();
create policy payouts_see on kelpie.invoices for select to kelpie_payouts using (true);
create policy payouts_change on kelpie.invoices for update to kelpie_payouts using (true) with check (true);
grant update (overdue_emailed_at, paid_emailed_at) on kelpie.invoices to kelpie_service;
grant select, update (status, paid_pence, paid_on, overdue_at, voided_at, void_transfer_id) on kelpie.invoices to kelpie_payouts;
create policy payouts_see on kelpie.invoice_lines for select to kelpie_payouts using (true);
grant select on kelpie.invoice_lines to kelpie_payouts;

-- What partners paid of their invoices, as operators record it.
create table kelpie.invoice_payments (
  invoice_id uuid not null,
  partner_id uuid not null,
  -- The bank's own id of the incoming transfer: what arrived once is recorded once.
  bank_reference text not null unique check (char_length(bank_reference) between 1 and 100),
  amount_pence bigint not null check (amount_pence > 0),
  -- The day in London on which it reached our account.
  received_on date not null,
  transfer_id uuid not null,
  at timestamptz not null,
  by text not null check (char_length(by) between 1 and 80),
  primary key (invoice_id, bank_reference),
  foreign key (partner_id, invoice_id) references kelpie.invoices (partner_id, id)
);
comment on table kelpie.invoice_payments is '@grows @kept-whole About one row per invoice. The bank''s id is unique for ever.';
select kelpie.protect_partner_table('invoice_payments', scope => 'partner', service_may => 'select');
select kelpie.make_insert_only('invoice_payments');
create policy payouts_all on kelpie.invoice_payments to kelpie_payouts using (true) with check (true);
grant select on kelpie.invoice_payments to kelpie_service, kelpie_reader;
grant select, insert on kelpie.invoice_payments to kelpie_payouts;

alter table kelpie.partners add column closed_at timestamptz;
-- The table is small: one row per partner.
alter table kelpie.partners add constraint partners_closed_check check ((status = 'closed') = (closed_at is not null)); -- squawk-ignore adding-serial-primary-key-field, constraint-missing-not-valid
create trigger closed_stays before update of status, closed_at on kelpie.partners
  for each row execute function kelpie.refuse_reopening();
grant select (closed_at), update (closed_at) on kelpie.partners to kelpie_payouts;
grant select (closed_at) on kelpie.partners to kelpie_operator;
-- An account with money of its own, or owing some, is not closed.
grant select (partner_id, state, owed_micro_usdc, repaid_micro_usdc) on kelpie.deposits to kelpie_payouts;
