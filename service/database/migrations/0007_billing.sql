-- What a partner owes us. Every charge is posted to the ledger when it happens. An invoice adds up what was posted in a
-- London calendar month and closes that month's books, so nothing is on two invoices or on none.

-- Charges besides payouts, each once: the account for a month, the verification, a bank exception by the bank's reference.
create table kelpie.single_charges (
  partner_id uuid not null references kelpie.partners (id),
  kind text not null check (kind in ('monthly_account', 'business_verification', 'bank_exceptions')),
  -- What makes it that one: a month, a word, the bank's reference.
  occasion text not null check (char_length(occasion) between 1 and 100),
  transfer_id uuid not null,
  at timestamptz not null,
  by text not null,
  primary key (partner_id, kind, occasion)
);
comment on table kelpie.single_charges is '@bounded One row per partner and month, and a few besides.';
select kelpie.protect_partner_table('single_charges', scope => 'partner');
select kelpie.make_insert_only('single_charges');
grant select, insert on kelpie.single_charges to kelpie_service;
grant select on kelpie.single_charges to kelpie_reader;

-- The number of the last invoice, raised in the commit of the invoice that gets the next: so there are no gaps.
create table kelpie.invoice_counter (
  is_only boolean primary key default true check (is_only),
  last_number bigint not null
);
comment on table kelpie.invoice_counter is '@bounded @shared One row.';
insert into kelpie.invoice_counter (last_number) values (0);
grant select, update (last_number) on kelpie.invoice_counter to kelpie_service;
grant select on kelpie.invoice_counter to kelpie_reader;

create table kelpie.invoices (
  id uuid primary key,
  partner_id uuid not null references kelpie.partners (id),
  number bigint not null unique check (number > 0),
  -- A London calendar month, and the instants it begins and ends at.
  period text not null check (period ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
  begins_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > begins_at),
  -- Overdue is derived from due_at and the clock.
  status text not null check (status in ('draft', 'issued', 'paid', 'void')),
  -- The partner's name and billing email when it was issued: what was sent does not change.
  billed_to_name text not null,
  billed_to_email text,
  total_pence bigint not null check (total_pence >= 0),
  -- Credit from the invoice before, and what is left for the next.
  carried_in_pence bigint not null check (carried_in_pence >= 0),
  carried_out_pence bigint not null check (carried_out_pence >= 0),
  issued_at timestamptz not null,
  due_at timestamptz not null check (due_at > issued_at),
  -- What it posted itself: rounded network fees, and credit it used. Null where there was neither.
  transfer_id uuid,
  unique (partner_id, period),
  unique (partner_id, id),
  check (total_pence = 0 or carried_out_pence = 0)
);
comment on table kelpie.invoices is '@grows @kept-whole One row per partner and month: their numbers have no gaps.';
select kelpie.protect_partner_table('invoices', scope => 'partner');
create trigger insert_only before delete on kelpie.invoices for each row execute function kelpie.refuse_change();
create trigger never_emptied before truncate on kelpie.invoices for each statement execute function kelpie.refuse_change();
grant select, insert on kelpie.invoices to kelpie_service;
grant select on kelpie.invoices to kelpie_reader;

create table kelpie.invoice_lines (
  invoice_id uuid not null,
  partner_id uuid not null,
  -- One line of each kind.
  kind text not null check (
    kind in ('payout_fees', 'monthly_account', 'business_verification', 'network_fees', 'bank_exceptions', 'credit')
  ),
  place integer not null check (place > 0), -- squawk-ignore prefer-bigint-over-int
  description text not null,
  quantity bigint not null check (quantity > 0),
  unit_price_pence bigint not null check (unit_price_pence >= 0),
  amount_pence bigint not null check (amount_pence = quantity * unit_price_pence),
  -- How many ledger entries are behind it.
  items bigint not null check (items > 0),
  primary key (invoice_id, kind),
  foreign key (partner_id, invoice_id) references kelpie.invoices (partner_id, id)
);
comment on table kelpie.invoice_lines is '@grows @kept-whole A few rows per invoice.';
select kelpie.protect_partner_table('invoice_lines', scope => 'partner');
select kelpie.make_insert_only('invoice_lines');
grant select, insert on kelpie.invoice_lines to kelpie_service;
grant select on kelpie.invoice_lines to kelpie_reader;
