-- Closes a partner's account for good, which one operator proposed and another approves.
-- Guarantees: its live environment has no open payout, no money and no debt. No payout is created meanwhile: it would need
--   money of the wallet, which is locked and empty.
-- Raises what take_proposal raises. Returns `closed`; `closed_before`; or what closing_obstacle says.
-- Locks: the proposal, the partner, then its live wallet.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_close_partner(of_proposal uuid, of_partner uuid, at timestamptz) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  proposal kelpie.proposals := kelpie.take_proposal(of_proposal, 'partner.close', of_partner::text, at);
  obstacle text;
begin
  perform from kelpie.partners p where p.id = of_partner and p.status <> 'closed' for no key update;
  if not found then
    return 'closed_before';
  end if;
  perform kelpie.set_partner_context(of_partner, 'live');
  perform kelpie.lock_wallet(of_partner, 'live');
  obstacle := kelpie.closing_obstacle(of_partner);
  if obstacle is not null then
    return obstacle;
  end if;
  update kelpie.partners p set status = 'closed', closed_at = at where p.id = of_partner;
  return 'closed';
end;
$$;
