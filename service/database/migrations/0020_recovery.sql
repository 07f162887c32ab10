-- Recovery after a restore. The bank still has what we forgot, and a payout is rebuilt from its record. What the bank does
-- not know is null until the partner repeats its request: the idempotency key, and the recipient's details.

alter table kelpie.payouts
  add column recovered_at timestamptz,
  alter column idempotency_key drop not null, -- squawk-ignore ban-drop-not-null
  alter column recipient_name drop not null, -- squawk-ignore ban-drop-not-null
  alter column account_last4 drop not null, -- squawk-ignore ban-drop-not-null
  alter column recipient_encrypted drop not null, -- squawk-ignore ban-drop-not-null
  alter column account_index drop not null, -- squawk-ignore ban-drop-not-null
  -- Only a payout that was rebuilt may lack any of it. The table has no release behind it, so it is checked at once.
  -- squawk-ignore constraint-missing-not-valid
  add constraint payouts_whole check (
    recovered_at is not null
    or num_nulls(idempotency_key, recipient_name, account_last4, recipient_encrypted, account_index) = 0
  );
-- Written once, when the partner repeats its request.
create trigger ordered_once
  before update of idempotency_key, reference, bank_reference, recipient_name, account_last4, recipient_encrypted, account_index
  on kelpie.payouts for each row execute function kelpie.refuse_change_of_order();
grant update (
  idempotency_key, reference, bank_reference, recipient_name, account_last4, recipient_encrypted, account_index
) on kelpie.payouts to kelpie_payouts;

-- A key that we do not know has no body either.
alter table kelpie.idempotency_keys
  alter column key drop not null, -- squawk-ignore ban-drop-not-null
  -- squawk-ignore constraint-missing-not-valid
  add constraint key_with_body check (key is not null or fingerprint = '');
grant update (key) on kelpie.idempotency_keys to kelpie_payouts;
