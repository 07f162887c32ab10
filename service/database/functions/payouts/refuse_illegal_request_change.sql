-- Keeps payout requests as they were asked for. A request begins open and is decided once; what it asks for never changes, and
-- whoever approves or declines it is an admin of its partner in this very commit. An erasure removes people from it, and a
-- rotation of the data key encrypts it anew: another recipient would not open, or not fit the digest.
-- Applied after: 0001
-- Callers: everyone
create or replace function kelpie.refuse_illegal_request_change() returns trigger
  language plpgsql
as $$
declare
  decided constant text[] := '{state,recipient_encrypted,approved_by,approved_at,declined_by,decided_at,payout_id}';
  erasable constant text[] := '{recipient_name,account_last4,requested_by,requester,approved_by,declined_by}';
  person text;
begin
  if tg_op = 'INSERT' then
    if new.state <> 'open' or new.approved_at is not null then
      raise exception 'a payout request does not begin as %', new.state using errcode = 'check_violation';
    end if;
    return new;
  end if;
  if old.state <> 'open' and to_jsonb(new) - erasable = to_jsonb(old) - erasable
    and (new.approved_by is not distinct from old.approved_by or new.approved_by = 'erased')
    and (new.declined_by is not distinct from old.declined_by or new.declined_by = 'erased')
    and (new.recipient_name is null or new.recipient_name = old.recipient_name)
    and (new.account_last4 is null or new.account_last4 = old.account_last4)
    and (new.requester is not distinct from old.requester or new.requester = 'erased')
    and (new.requested_by = old.requested_by or new.requested_by = 'erased') then
    return new;
  end if;
  if old.state = 'open' and current_user = 'kelpie_payouts' and new.recipient_encrypted is not null
    and to_jsonb(new) - 'recipient_encrypted' = to_jsonb(old) - 'recipient_encrypted' then
    if kelpie.is_key_rotation() then
      return new;
    end if;
  end if;
  if old.state <> 'open' or to_jsonb(new) - decided <> to_jsonb(old) - decided then
    raise exception 'a payout request is decided once, as it was asked for' using errcode = 'check_violation';
  end if;
  if new.state = 'approved' and (new.approved_by, new.approved_at) is distinct from (old.approved_by, old.approved_at) then
    raise exception 'a payout request is approved before its payout is created' using errcode = 'check_violation';
  end if;
  if new.state in ('open', 'approved') and new.approved_at >= new.expires_at then
    raise exception 'an expired payout request is approved by nobody' using errcode = 'check_violation';
  end if;
  person := case when new.state = 'declined' then new.declined_by else new.approved_by end;
  if new.state <> 'expired' and not exists (
    select from kelpie.members m where m.partner_id = new.partner_id and m.email = person and m.role = 'admin'
  ) then
    raise exception 'only an admin decides a payout request' using errcode = 'check_violation';
  end if;
  return new;
end;
$$;
