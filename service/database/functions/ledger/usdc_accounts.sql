-- The accounts that are kept in USDC. kelpie.currency_of is made of it.
-- Applied after: 0027
-- Callers: everyone
create or replace function kelpie.usdc_accounts() returns kelpie.ledger_account[]
  language sql immutable parallel safe
  return array[
    'wallet', 'held', 'in_transit', 'bank_wallet', 'fx', 'partner_receivable', 'suspense', 'exception_loss', 'house_float',
    'float_in_transit'
  ]::kelpie.ledger_account[];
