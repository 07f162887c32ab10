-- Trigger function that keeps a move of the float as it ended, and lets an open one change only forward.
-- Guarantees: a move ends once; the bank's id of it never changes.
-- Applied after: 0001
-- Callers: everyone
create or replace function kelpie.refuse_illegal_float_transition() returns trigger
  language plpgsql
as $$
begin
  if old.state <> 'open' then
    raise exception 'a move of the float that has ended' using errcode = 'check_violation';
  end if;
  if old.bank_payment_id is not null and new.bank_payment_id is distinct from old.bank_payment_id then
    raise exception 'a move of the float at the bank is another' using errcode = 'check_violation';
  end if;
  return new;
end;
$$;
