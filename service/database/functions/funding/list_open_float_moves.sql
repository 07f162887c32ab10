-- Lists moves of the float that are not at their end, with the partner's wallet at the bank, one page at a time.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.list_open_float_moves(after_id uuid, at_most integer)
  returns table (
    id uuid, partner_id uuid, environment kelpie.environment, kind text, amount_micro_usdc bigint,
    bank_payment_id text, bank_state text, created_at timestamptz, rail kelpie.rail, bank_customer_id text, bank_wallet_id text
  )
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select m.id, m.partner_id, m.environment, m.kind, m.amount_micro_usdc, m.bank_payment_id, m.bank_state,
    m.created_at, e.rail, e.bank_customer_id, e.bank_wallet_id
  from kelpie.float_moves m
  join kelpie.partner_environments e on e.partner_id = m.partner_id and e.environment = m.environment
  where m.state = 'open' and m.id > after_id
  order by m.id limit least(at_most, 500)
$$;
