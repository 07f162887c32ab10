-- Erases the recipients of these payouts. For functions that have decided that it may happen; the trigger legal_transitions
-- judges it again.
-- Returns how many had one.
-- Callers: kelpie_payouts
create or replace function kelpie.erase_recipients(of_payouts uuid[], at timestamptz) returns integer
  language plpgsql volatile
as $$
declare
  erased integer;
begin
  update kelpie.payouts p
  set recipient_name = null, account_last4 = null, recipient_encrypted = null, bank_recipient_encrypted = null, erased_at = at
  where p.id = any (of_payouts) and p.erased_at is null;
  get diagnostics erased = row_count;
  return erased;
end;
$$;
