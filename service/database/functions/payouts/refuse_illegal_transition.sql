-- Refuses every transition of a payout but the listed ones, a change that does not name the next revision, and a change of
-- the bank's amounts after the end: what it took once nothing is held any more, and what it refunded once it has.
--
-- It also refuses a new payout on the simulated rail for a partner that has left it. An api process caches a partner's
-- rail for some seconds; such a payout would debit the new wallet in our books, and nothing at the bank. Connecting a
-- sandbox locks its wallet, then changes its rail. create_payouts has posted the hold by now, so it holds the same lock,
-- and this statement sees what was committed before: the payout is written before the old wallet is closed, or refused.
--
-- A payout of which nothing was sent stays so, but for an adoption: the bank has its payment, and two operators bind it to that
-- in this very transaction.
--
-- Without its number a payout changes only by an erasure, or by a change of keys that replaces its ciphertexts and the digest of its account.
-- A payout whose month is on its way to the archive does not change: require_month_here.
-- Applied after: 0001
-- Callers: everyone
create or replace function kelpie.refuse_illegal_transition() returns trigger
  language plpgsql
as $$
declare
  erasable constant text[] :=
    '{recipient_name,account_last4,recipient_encrypted,bank_recipient_encrypted,erased_at,created_by}';
  rekeyed constant text[] := '{recipient_encrypted,bank_recipient_encrypted,account_index,equal_hash}';
begin
  if tg_op = 'INSERT' then
    if new.state not in ('sending', 'processing', 'failed') or new.revision <> 1 then
      raise exception 'a payout does not begin as %', new.state using errcode = 'check_violation';
    end if;
    if new.rail = 'simulated' then
      if not exists (
        select from kelpie.partner_environments e
        where e.partner_id = new.partner_id and e.environment = new.environment and e.rail = 'simulated'
      ) then
        raise exception 'the partner has left this rail' using errcode = 'KP410';
      end if;
    end if;
    return new;
  end if;
  perform kelpie.require_month_here(old.id);
  if new.revision = old.revision and current_user = 'kelpie_payouts'
    and to_jsonb(new) - erasable = to_jsonb(old) - erasable then
    if kelpie.is_erasure() or kelpie.is_past_recipient_retention(new.id) then
      return new;
    end if;
  end if;
  if new.revision = old.revision and current_user = 'kelpie_payouts'
    and to_jsonb(new) - rekeyed = to_jsonb(old) - rekeyed
    and (new.account_index is null) = (old.account_index is null)
    and (new.recipient_encrypted is null) = (old.recipient_encrypted is null)
    and (new.bank_recipient_encrypted is null) = (old.bank_recipient_encrypted is null) then
    if kelpie.is_key_rotation() then
      return new;
    end if;
  end if;
  if new.revision <> old.revision + 1 then
    raise exception 'a change of a payout without its number' using errcode = 'check_violation';
  end if;
  if new.bank_debited_micro_usdc is distinct from old.bank_debited_micro_usdc and (
    old.state in ('completed', 'cancelled', 'returned')
    or (old.state = 'failed' and (old.bank_refunded_micro_usdc is not null or old.bank_payment_id is null))
  ) then
    raise exception 'what the bank took does not change after the end' using errcode = 'check_violation';
  end if;
  if new.bank_refunded_micro_usdc is distinct from old.bank_refunded_micro_usdc
    and (old.bank_refunded_micro_usdc is not null or old.state in ('cancelled', 'returned')) then
    raise exception 'what the bank refunded does not change' using errcode = 'check_violation';
  end if;
  if new.state = old.state or (old.state, new.state) in (
    ('sending', 'not_created'), ('sending', 'pending'), ('sending', 'processing'), ('sending', 'failed'),
    ('pending', 'processing'), ('pending', 'failed'), ('pending', 'cancelled'),
    ('processing', 'completed'), ('processing', 'failed'), ('processing', 'cancelled'), ('processing', 'returned'),
    ('completed', 'returned')
  ) then
    return new;
  end if;
  if (old.state, new.state) = ('not_created', 'processing') then
    if kelpie.is_being_adopted(new.id) then
      return new;
    end if;
  end if;
  raise exception 'a payout does not move from % to %', old.state, new.state using errcode = 'check_violation';
end;
$$;
