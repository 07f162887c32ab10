-- The bank's ids of recipients, encrypted and bound to partner, environment and account: a row that was copied or swapped
-- does not open, so no payment goes to it. Rows are only added, by functions: the service itself can neither add nor change one.

create table kelpie.known_recipients (
  partner_id uuid not null,
  environment kelpie.environment not null,
  -- Made of account, type and name: another name is another recipient.
  account_index bytea not null check (octet_length(account_index) = 32),
  -- The newest row of an account counts.
  number bigint generated always as identity,
  -- Null where the bank no longer takes payments to the one before.
  id_encrypted bytea,
  registered_at timestamptz not null,
  primary key (partner_id, environment, account_index, number),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.known_recipients is '@grows @kept-whole One row for each time that an account was registered or given up.';
select kelpie.protect_partner_table('known_recipients');
select kelpie.make_insert_only('known_recipients');
create policy payouts_see on kelpie.known_recipients for select to kelpie_payouts using (true);
create policy payouts_add on kelpie.known_recipients for insert to kelpie_payouts with check (true);
grant select on kelpie.known_recipients to kelpie_service, kelpie_reader;
grant select, insert on kelpie.known_recipients to kelpie_payouts;

-- What the version before knew as plain text. The bank says it again; the next release drops the table.
truncate kelpie.bank_recipients;
revoke insert, update, delete on kelpie.bank_recipients from kelpie_service;

-- The recipient at the bank that the payout names. Every attempt names the same one, and the bank's answers are held against it.
alter table kelpie.payouts add column bank_recipient_encrypted bytea;
grant update (bank_recipient_encrypted) on kelpie.payouts to kelpie_payouts;
