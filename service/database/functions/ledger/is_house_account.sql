-- Whether an account is the house's side of a partner's USDC: what the partner's money at the bank may differ by from what
-- the partner has. kelpie.house_sums keeps the sums of these.
-- Callers: everyone
create or replace function kelpie.is_house_account(account kelpie.ledger_account) returns boolean
  language sql immutable parallel safe
  return account in ('fx', 'suspense', 'exception_loss', 'partner_receivable', 'house_float', 'float_in_transit');
