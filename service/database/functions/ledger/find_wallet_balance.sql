-- Retrieves the balance of a wallet. Returns no row when the partner has no wallet in this environment.
-- Callers: everyone
create or replace function kelpie.find_wallet_balance(of_partner uuid, of_environment kelpie.environment)
  returns table (balance_micro_usdc bigint)
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select w.balance_micro_usdc from kelpie.wallets w
    where w.partner_id = of_partner and w.environment = of_environment;
end;
$$;
