-- Applies an answer of the bank, as polled at `polled_at`, about a verification of the transaction's partner that it has
-- approved before. The approval is kept; where the bank has withdrawn it, live payments are blocked until two operators
-- lift that.
-- Guarantees: an answer that is not newer than the stored one is ignored. A webhook that arrived after the poll keeps the
--   verification due.
-- Locks: the partner, then the verification, then payment_blocks.
-- Returns whether the bank has withdrawn its approval.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.follow_approved_verification(
  of_id text, polled_at timestamptz, at timestamptz, new_state text, new_provider_status text
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  of_partner uuid := kelpie.current_partner();
  known record;
begin
  perform from kelpie.partners p where p.id = of_partner for no key update;
  select v.state, v.asked_at into known
  from kelpie.verifications v where v.id = of_id and v.partner_id = of_partner for no key update;
  if known.state is distinct from 'approved' then
    raise exception 'no approved verification of this partner' using errcode = 'insufficient_privilege';
  end if;
  update kelpie.verifications v
  set asked_at = greatest(v.asked_at, polled_at), due_at = case when v.woken_at > polled_at then v.woken_at end
  where v.id = of_id;
  if polled_at <= known.asked_at or new_state = 'approved' then
    return false;
  end if;
  update kelpie.partners p set verification_provider_status = new_provider_status where p.id = of_partner;
  perform kelpie.add_payment_block(
    'verification', null, of_partner, 'live', 'The bank withdrew its approval: ' || left(new_provider_status, 200), at, 'bank'
  );
  return true;
end;
$$;
