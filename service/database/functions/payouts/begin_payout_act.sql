-- Begins an act of two operators on a payout, in the transaction that then applies its transition: takes the proposal, and
-- refuses where anything moved since it was made.
-- Raises KP433 for another revision, and for an adoption whose key stands for another attempt; KP434 while a worker asks the
-- bank about it, or may just have asked; KP435 where the wallet does not cover what an adoption holds; and what
-- take_proposal raises.
-- Locks: the proposal, the payout, for an adoption its key and its wallet.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.begin_payout_act(of_proposal uuid, of_action text, of_payout uuid, at timestamptz) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  proposal kelpie.proposals := kelpie.take_proposal(of_proposal, of_action, of_payout::text, at);
  payout kelpie.payouts;
  has_key boolean := true;
begin
  select p.* into payout from kelpie.payouts p where p.id = of_payout for no key update;
  if of_action = 'payout.adopt' then
    perform from kelpie.idempotency_keys k
    where k.order_id = payout.order_id and k.payout_id = of_payout and k.fingerprint <> '' for no key update;
    has_key := found;
  end if;
  if payout.revision is distinct from proposal.revision or not has_key then
    raise exception 'the payout has moved' using errcode = 'KP433';
  end if;
  -- What a worker sent a moment ago may not be in the bank's list yet.
  if exists (select from kelpie.payout_leases o where o.payout_id = of_payout and o.leased_until > at)
    or (of_action = 'payout.release' and payout.updated_at > at - interval '2 minutes') then
    raise exception 'the bank may be paying it' using errcode = 'KP434';
  end if;
  if of_action = 'payout.adopt' then
    perform kelpie.set_partner_context(payout.partner_id, payout.environment);
    if coalesce(kelpie.lock_wallet(payout.partner_id, payout.environment), 0) < payout.wallet_debit_micro_usdc then
      raise exception 'the wallet does not cover the payment' using errcode = 'KP435';
    end if;
  end if;
end;
$$;
