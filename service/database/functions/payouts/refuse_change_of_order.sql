-- Keeps what was ordered. Only a payout that was rebuilt from the bank's record, and whose order is not known yet, takes
-- the order of the request that repeats it. Without a new revision it is an erasure or a change of keys, which
-- legal_transitions has judged.
-- Applied after: 0001
-- Callers: everyone
create or replace function kelpie.refuse_change_of_order() returns trigger
  language plpgsql
as $$
begin
  if new.revision = old.revision then
    return new;
  end if;
  if old.recovered_at is null or old.account_index is not null then
    raise exception 'what was ordered does not change' using errcode = 'check_violation';
  end if;
  return new;
end;
$$;
