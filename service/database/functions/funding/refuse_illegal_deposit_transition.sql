-- Trigger function that allows only legal changes of a deposit, whatever the code does. The states: pending to credited or
-- refunded, refunded to credited, credited to reversed. A new deposit is pending, at revision 1.
-- Guarantees: a credited deposit is never credited again, and its credited amount, time and repayment never change. Every
--   change raises the revision by one, but for the sender: erased after six years and not before, or its ciphertext replaced by
--   a change of keys. Nothing else changes with either.
-- A deposit that the bank reversed before we knew of it is credited and reversed in the same transaction.
-- Applied after: 0001
-- Callers: everyone
create or replace function kelpie.refuse_illegal_deposit_transition() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    if new.state = 'pending' and new.revision = 1 then
      return new;
    end if;
    raise exception 'a deposit cannot start as %', new.state using errcode = 'check_violation';
  end if;
  if new.revision = old.revision and to_jsonb(new) - 'sender_encrypted' = to_jsonb(old) - 'sender_encrypted' then
    if new.sender_encrypted is null and old.id < kelpie.first_id_at(now() - interval '6 years') then
      return new;
    end if;
    if num_nulls(new.sender_encrypted, old.sender_encrypted) = 0 and current_user = 'kelpie_payouts' then
      if kelpie.is_key_rotation() then
        return new;
      end if;
    end if;
  end if;
  if new.revision <> old.revision + 1 then
    raise exception 'a change of a deposit without its number' using errcode = 'check_violation';
  end if;
  if old.credited_at is not null and (
    (new.net_micro_usdc, new.credited_at, new.repaid_micro_usdc)
      is distinct from (old.net_micro_usdc, old.credited_at, old.repaid_micro_usdc)
  ) then
    raise exception 'what was credited stays what it was' using errcode = 'check_violation';
  end if;
  if new.state = old.state or (old.state, new.state) in (
    ('pending', 'credited'), ('pending', 'refunded'), ('refunded', 'credited'), ('credited', 'reversed')
  ) then
    return new;
  end if;
  raise exception 'a deposit does not move from % to %', old.state, new.state using errcode = 'check_violation';
end;
$$;
