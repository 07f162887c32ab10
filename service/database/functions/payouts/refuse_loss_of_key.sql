-- Keeps idempotency keys: a key that was lost, or stood for another payout, would let one order be paid twice. A key may
-- change only where nothing of its payout was sent, and be deleted only then or where its payout was never created. The
-- key of a payout that was rebuilt from the bank's record learns its text and its body once. A change of keys replaces the digest of
-- the body.
-- Applied after: 0001
-- Callers: everyone
create or replace function kelpie.refuse_loss_of_key() returns trigger
  language plpgsql
as $$
begin
  if exists (select from kelpie.payouts p where p.id = old.payout_id and p.state = 'not_created') then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  if tg_op = 'DELETE' and not exists (select from kelpie.payouts p where p.id = old.payout_id)
    and not kelpie.is_in_archive(old.payout_id) then
    return old;
  end if;
  if tg_op = 'UPDATE' and old.fingerprint = '' and new.payout_id = old.payout_id and new.key = coalesce(old.key, new.key) then
    return new;
  end if;
  if tg_op = 'UPDATE' and current_user = 'kelpie_payouts' and old.fingerprint <> '' and new.fingerprint <> ''
    and to_jsonb(new) - 'fingerprint' = to_jsonb(old) - 'fingerprint' then
    if kelpie.is_key_rotation() then
      return new;
    end if;
  end if;
  raise exception 'a key stands for its payout for ever' using errcode = 'check_violation';
end;
$$;
