-- The accounts that are the house's side of a partner's USDC: what the partner's money at the bank may differ by from what
-- the partner has. kelpie.house_sums keeps their sums.
-- Callers: everyone
create or replace function kelpie.house_accounts() returns kelpie.ledger_account[]
  language sql immutable parallel safe
  return array[
    'fx', 'suspense', 'exception_loss', 'partner_receivable', 'house_float', 'float_in_transit'
  ]::kelpie.ledger_account[];
