-- Applies the bank's answer about a verification of the transaction's partner, as polled at `polled_at`.
-- Guarantees: an approval activates an onboarding partner and opens its live environment with an empty wallet, in this
--   transaction. The bank screens a business before it approves it, so an approval also makes the screening clear. An
--   approval stays: what the bank says later is for follow_approved_verification. An answer older than the stored one, or
--   about a verification that a newer one replaced, is ignored.
-- Locks: the partner, then the verification.
-- Returns what to notify the partner's admins of: 'approved', 'rejected' or 'more_needed'. Null when there is nothing new.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.apply_verification(
  of_id text, polled_at timestamptz, at timestamptz, next_due_at timestamptz, new_state text, asks_for_more boolean,
  new_provider_status text, new_continue_url text, new_terms_url text, new_customer_id text, new_wallet_id text
) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  of_partner uuid := kelpie.current_partner();
  known record;
  decision text;
begin
  -- Concurrent polls wait here, and then see what this one wrote.
  perform from kelpie.partners p where p.id = of_partner for no key update;
  select v.state, v.asked_at, v.started_at, v.notified into known
  from kelpie.verifications v where v.id = of_id and v.partner_id = of_partner;
  if not found then
    raise exception 'the verification does not belong to this partner' using errcode = 'insufficient_privilege';
  end if;
  -- Nothing comes of a verification once the account is closed.
  if known.state = 'approved' or exists (
    select from kelpie.partners p where p.id = of_partner and p.status = 'closed'
  ) or exists (
    select from kelpie.verifications v where v.partner_id = of_partner and v.started_at > known.started_at
  ) then
    update kelpie.verifications v set due_at = null where v.id = of_id;
    return null;
  end if;
  if polled_at < known.asked_at then
    return null;
  end if;
  decision := case
    when new_state in ('approved', 'rejected') then new_state
    when new_state = 'action_required' and (asks_for_more or known.state = 'in_review' or known.notified = 'more_needed')
      then 'more_needed'
  end;
  update kelpie.verifications v
  set state = new_state,
    customer_id = case when new_state = 'approved' then new_customer_id end,
    changed_at = case when v.state = new_state then v.changed_at else at end,
    asked_at = polled_at,
    due_at = case
      -- A webhook arrived after the poll, so this answer may be out of date.
      when v.woken_at > polled_at then v.woken_at
      when new_state in ('approved', 'rejected') then null
      else next_due_at
    end,
    notified = decision
  where v.id = of_id;
  update kelpie.partners p
  set verification_status = new_state,
    verification_provider_status = new_provider_status,
    verification_continue_url = new_continue_url,
    verification_terms_url = new_terms_url,
    -- What an operator has set stays.
    screening = case when new_state = 'approved' and p.screening = 'not_screened' then 'clear' else p.screening end,
    status = case when new_state = 'approved' and p.status = 'onboarding' then 'active' else p.status end
  where p.id = of_partner;
  if new_state = 'approved' then
    insert into kelpie.partner_environments (
      partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id
    ) values (of_partner, 'live', at, 'provider_production', new_customer_id, new_wallet_id)
    -- An environment that pays already keeps its customer and its wallet.
    on conflict do nothing;
    insert into kelpie.wallets (partner_id, environment) values (of_partner, 'live') on conflict do nothing;
  end if;
  return case when decision is distinct from known.notified then decision end;
end;
$$;
