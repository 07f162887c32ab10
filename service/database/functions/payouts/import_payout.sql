-- Rebuilds a payout that the bank has and we forgot, from the bank's payment: places the hold, books what the bank took, and
-- writes the payout, its history, its key and a lease that is due at once. A worker then follows it to its end.
--
-- Guarantees: an order id stands for one payout, so a payment is imported once; the hold is what the payout says its wallet
--   sends; a wallet never goes below zero. Nothing is sent.
-- Returns the outcome; nothing changed where it is not `imported`:
--   known                the order has a payout by now
--   corrected            an operator has booked this payment already
--   insufficient_funds   the wallet does not cover it
-- Locks: the key, the attempt that it stands for, the wallet.
--
-- The order may have an attempt of which we believe that nothing was sent (`attempt`): the payout takes over its key. Its
-- body too where `has_body`; otherwise the body is that of the first request that repeats it (adopt_recovered_payout).
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.import_payout(
  of_partner uuid,
  of_environment kelpie.environment,
  of_rail kelpie.rail,
  of_payout uuid,
  of_order_id uuid,
  attempt uuid,
  has_body boolean,
  created_at timestamptz,
  at timestamptz,
  by_whom text,
  new_bank_reference text,
  new_amount_pence bigint,
  new_fee_pence bigint,
  new_provider_fee_pence bigint,
  new_wallet_debit_micro_usdc bigint,
  new_gbp_per_usd_millionths bigint,
  new_price_plan text,
  new_recipient_name text,
  new_account_last4 text,
  -- Encrypted anew for this payout; null where it is not known.
  new_recipient_encrypted bytea,
  new_bank_payment_id text,
  new_bank_debited_micro_usdc bigint,
  transfers uuid[],
  entry_firsts boolean[],
  entry_transfers uuid[],
  entry_lines smallint[],
  entry_accounts kelpie.ledger_account[],
  entry_amounts bigint[],
  entry_reasons text[]
) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  known record;
  hold bigint;
  one integer[] := array_fill(1, array[cardinality(entry_transfers)]);
begin
  perform set_config('kelpie.batch', 'on', true);
  select sum(entry.amount) into hold
  from unnest(entry_firsts, entry_accounts, entry_amounts) as entry (is_first, account, amount)
  where entry.is_first and entry.account = 'wallet';
  if hold is distinct from new_wallet_debit_micro_usdc then
    raise exception 'a hold that is not what its payout debits' using errcode = 'check_violation';
  end if;
  if exists (
    select from kelpie.find_corrected_orders(
      of_partner, of_environment, array[new_bank_payment_id], array[of_order_id]
    )
  ) then
    return 'corrected';
  end if;

  if attempt is null then
    insert into kelpie.idempotency_keys (
      order_id, partner_id, environment, key, payout_id, fingerprint, round_began_at, claimed_at
    ) values (of_order_id, of_partner, of_environment, null, of_payout, '', created_at, created_at)
    on conflict (order_id) do nothing;
    if not found then
      return 'known';
    end if;
  else
    perform from kelpie.idempotency_keys k
    where k.order_id = of_order_id and k.payout_id = attempt and k.partner_id = of_partner
      and k.environment = of_environment and (k.fingerprint <> '' or not has_body)
    for no key update;
    if not found then
      return 'known';
    end if;
    -- Locked, so that a transition of the attempt that is under way is waited for, and then seen.
    perform from kelpie.payouts p where p.id = attempt and p.state = 'not_created' for share;
    if not found then
      return 'known';
    end if;
  end if;
  select p.idempotency_key, p.first_tried_at, p.bank_round, body.reference, body.bank_reference, body.recipient_name,
    body.account_last4, body.account_index, body.created_via, body.created_by
  into known
  from (values (attempt)) as a (id)
  left join kelpie.payouts p on p.id = a.id
  left join kelpie.payouts body on body.id = a.id and has_body;

  if exists (
    select from kelpie.post_of_payouts(
      array[true], array[of_partner], array[of_environment], array[of_payout], one, entry_firsts, entry_transfers,
      entry_lines, entry_accounts, entry_amounts, entry_reasons, true
    ) t where not t.posted
  ) then
    -- Undoes the claim of the key.
    raise exception 'the wallet does not cover an imported payout' using errcode = 'KP412';
  end if;
  perform kelpie.post_of_payouts(
    array[true], array[of_partner], array[of_environment], array[of_payout], one, entry_firsts, entry_transfers,
    entry_lines, entry_accounts, entry_amounts, entry_reasons, false
  );

  insert into kelpie.payouts (
    id, partner_id, environment, rail, state, revision, attempts, idempotency_key, order_id, bank_round, first_tried_at,
    reference, bank_reference, amount_pence, fee_pence, provider_fee_pence, wallet_debit_micro_usdc, gbp_per_usd_millionths,
    price_plan, recipient_name, account_last4, recipient_encrypted, account_index, created_via, created_by, bank_payment_id,
    bank_debited_micro_usdc, updated_at, recovered_at
  ) values (
    of_payout, of_partner, of_environment, of_rail, 'processing', 1, 1, known.idempotency_key, of_order_id,
    coalesce(known.bank_round, 1), coalesce(known.first_tried_at, created_at), known.reference,
    coalesce(known.bank_reference, new_bank_reference), new_amount_pence, new_fee_pence, new_provider_fee_pence,
    new_wallet_debit_micro_usdc, new_gbp_per_usd_millionths, new_price_plan,
    coalesce(known.recipient_name, new_recipient_name), coalesce(known.account_last4, new_account_last4),
    new_recipient_encrypted, known.account_index, coalesce(known.created_via, 'api'), coalesce(known.created_by, by_whom),
    new_bank_payment_id, new_bank_debited_micro_usdc, at, at
  );
  insert into kelpie.payout_history (
    payout_id, number, partner_id, environment, at, state, what, by, attempt, bank_state, detail, transfer_ids
  ) values (
    of_payout, 1, of_partner, of_environment, at, 'processing', 'imported', by_whom, 1, null, null, transfers
  );
  insert into kelpie.unnumbered_events (partner_id, environment, type, subject_id, version, at)
  values (of_partner, of_environment, 'payout.processing', of_payout, 1, at);
  insert into kelpie.payout_leases (payout_id, partner_id, environment, due_at, leased_until)
  values (of_payout, of_partner, of_environment, at, '-infinity');
  if attempt is not null then
    update kelpie.idempotency_keys k
    set payout_id = of_payout, fingerprint = case when has_body then k.fingerprint else '' end
    where k.order_id = of_order_id;
  end if;
  return 'imported';
end;
$$;
