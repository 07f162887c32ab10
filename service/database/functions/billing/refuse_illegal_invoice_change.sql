-- Trigger function that keeps an invoice as it was issued. Its status moves on, payments add up, and what was noted of it
-- once stays: one that is paid or void is final.
-- Applied after: 0007
-- Callers: everyone
create or replace function kelpie.refuse_illegal_invoice_change() returns trigger
  language plpgsql
as $$
begin
  if (
    new.id, new.partner_id, new.number, new.period, new.begins_at, new.ends_at, new.billed_to_name, new.billed_to_email,
    new.total_pence, new.carried_in_pence, new.carried_out_pence, new.issued_at, new.due_at, new.transfer_id
  ) is distinct from (
    old.id, old.partner_id, old.number, old.period, old.begins_at, old.ends_at, old.billed_to_name, old.billed_to_email,
    old.total_pence, old.carried_in_pence, old.carried_out_pence, old.issued_at, old.due_at, old.transfer_id
  ) then
    raise exception 'an invoice does not change after it was issued' using errcode = 'restrict_violation';
  end if;
  if new.status <> old.status and (old.status, new.status) not in (
    ('issued', 'overdue'), ('issued', 'paid'), ('issued', 'void'), ('overdue', 'paid'), ('overdue', 'void')
  ) then
    raise exception 'an invoice does not move from % to %', old.status, new.status using errcode = 'check_violation';
  end if;
  if new.paid_pence < old.paid_pence
    or (old.overdue_at is not null and new.overdue_at is distinct from old.overdue_at)
    or (old.status in ('paid', 'void')
      and (new.paid_on, new.voided_at, new.void_transfer_id) is distinct from (old.paid_on, old.voided_at, old.void_transfer_id))
  then
    raise exception 'what was recorded of an invoice stays' using errcode = 'check_violation';
  end if;
  return new;
end;
$$;
