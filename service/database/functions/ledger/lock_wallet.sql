-- Locks a wallet of the transaction's partner, for the few transfers whose entries depend on the balance.
-- Guarantees: the balance changes only by this transaction until commit.
-- Locks: the wallet's row.
-- Returns the balance in micro-USDC, or null when there is no wallet.
-- Owner: kelpie_ledger
-- Callers: kelpie_service, kelpie_payouts
create or replace function kelpie.lock_wallet(of_partner uuid, of_environment kelpie.environment) returns bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  balance bigint;
begin
  if (of_partner, of_environment) is distinct from (kelpie.current_partner(), kelpie.current_environment()) then
    raise exception 'the wallet belongs to another partner or environment' using errcode = 'insufficient_privilege';
  end if;
  select w.balance_micro_usdc into balance
  from kelpie.wallets w
  where w.partner_id = of_partner and w.environment = of_environment
  for no key update;
  return balance;
end;
$$;
