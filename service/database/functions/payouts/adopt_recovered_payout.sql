-- Gives a payout that was rebuilt from the bank's record the order of the first request that repeats it: its key, its body
-- and its recipient. The caller has compared amount and account with the bank's payment. Nothing is sent.
-- Guarantees: one request does so; a payout whose order is known is left as it is.
-- Locks: the key, then the payout.
-- Returns whether it was done.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.adopt_recovered_payout(
  of_partner uuid,
  of_environment kelpie.environment,
  of_order_id uuid,
  of_payout uuid,
  given_key text,
  given_fingerprint bytea,
  given_reference text,
  given_bank_reference text,
  given_recipient_name text,
  given_account_last4 text,
  given_recipient_encrypted bytea,
  given_account_index bytea,
  given_by text,
  at timestamptz
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  adopted record;
begin
  perform from kelpie.idempotency_keys k
  where k.order_id = of_order_id and k.payout_id = of_payout and k.partner_id = of_partner
    and k.environment = of_environment and k.fingerprint = ''
  for no key update;
  if not found then
    return false;
  end if;
  update kelpie.payouts p
  set idempotency_key = given_key, reference = given_reference, bank_reference = given_bank_reference,
    recipient_name = given_recipient_name, account_last4 = given_account_last4,
    recipient_encrypted = given_recipient_encrypted, account_index = given_account_index,
    revision = p.revision + 1, updated_at = at
  where p.id = of_payout and p.recovered_at is not null
  returning p.revision, p.state, p.attempts, p.bank_state into adopted;
  if not found then
    return false;
  end if;
  insert into kelpie.payout_history (
    payout_id, number, partner_id, environment, at, state, what, by, attempt, bank_state, detail, transfer_ids
  ) values (
    of_payout, adopted.revision, of_partner, of_environment, at, adopted.state, 'adopted', given_by, adopted.attempts,
    adopted.bank_state, null, '{}'
  );
  update kelpie.idempotency_keys k set key = given_key, fingerprint = given_fingerprint where k.order_id = of_order_id;
  return true;
end;
$$;
