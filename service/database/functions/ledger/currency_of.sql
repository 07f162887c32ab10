-- The currency of an account. Null for an account that is not listed, and post_transfers takes no entry without one: a new
-- account can't slip past the zero-sum check. 'GBP millionths' are fractions of a penny, until an invoice rounds their sum.
-- Not strict, so that PostgreSQL inlines it: a call per entry would cost more than the rest of post_transfers.
-- Callers: everyone
create or replace function kelpie.currency_of(account kelpie.ledger_account) returns text
  language sql immutable parallel safe
  return case account
    when 'wallet' then 'USDC'
    when 'held' then 'USDC'
    when 'in_transit' then 'USDC'
    when 'bank_wallet' then 'USDC'
    when 'fx' then 'USDC'
    when 'partner_receivable' then 'USDC'
    when 'suspense' then 'USDC'
    when 'exception_loss' then 'USDC'
    when 'house_float' then 'USDC'
    when 'float_in_transit' then 'USDC'
    when 'receivable' then 'GBP'
    when 'revenue' then 'GBP'
    when 'credit_due' then 'GBP'
    when 'cash' then 'GBP'
    when 'accrued' then 'GBP millionths'
    when 'accrued_revenue' then 'GBP millionths'
  end;
