-- The currency of an account. Null for an account that is not listed, and post_transfers takes no entry without one: a new
-- account can't slip past the zero-sum check. 'GBP millionths' are fractions of a penny, until an invoice rounds their sum.
-- Not strict, so that PostgreSQL inlines it: a call per entry would cost more than the rest of post_transfers.
-- Callers: everyone
create or replace function kelpie.currency_of(account kelpie.ledger_account) returns text
  language sql immutable parallel safe
  return case
    when account = any (kelpie.usdc_accounts()) then 'USDC'
    when account in ('receivable', 'revenue', 'credit_due', 'cash') then 'GBP'
    when account in ('accrued', 'accrued_revenue') then 'GBP millionths'
  end;
