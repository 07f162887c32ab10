-- Replaces digests of accounts and of bodies by those under another index key: of payouts, with what is bound to them, of the
-- accounts' recipients at the bank, of accounts that were paid, and of idempotency keys.
-- Guarantees: a payout that has changed since it was read, or that has a lease, stays. Nothing is replaced without an audit entry in
--   the same transaction.
-- Returns how many payouts were changed.
-- Locks: payouts in the order of their ids, then keys, then recipients, then accounts. Rows of payouts that are locked are skipped.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.replace_account_indexes(
  payout_ids uuid[], partner_ids uuid[], environments kelpie.environment[], old_indexes bytea[], new_indexes bytea[],
  old_recipients bytea[], new_recipients bytea[], old_banks bytea[], new_banks bytea[], equal_hashes bigint[], order_ids uuid[], old_fingerprints bytea[],
  new_fingerprints bytea[],
  recipient_partners uuid[], recipient_environments kelpie.environment[], recipient_indexes bytea[], numbers bigint[],
  new_recipient_indexes bytea[], new_ids bytea[]
) returns integer
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  replaced uuid[];
begin
  perform kelpie.require_audit('encryption_keys.rotate', 'payouts');
  with free as (
    select p.id, item.new_index, item.new_recipient, item.new_bank, item.equal_hash
    from unnest(payout_ids, old_indexes, new_indexes, old_recipients, new_recipients, old_banks, new_banks, equal_hashes)
      as item (id, old_index, new_index, old_recipient, new_recipient, old_bank, new_bank, equal_hash)
    join kelpie.payouts p on p.id = item.id and p.account_index = item.old_index
      and p.recipient_encrypted = item.old_recipient
      and p.bank_recipient_encrypted is not distinct from item.old_bank
    where not exists (select from kelpie.payout_leases l where l.payout_id = p.id)
    order by p.id for no key update of p skip locked
  ), changed as (
    update kelpie.payouts p
    set account_index = free.new_index, recipient_encrypted = free.new_recipient,
      bank_recipient_encrypted = free.new_bank, equal_hash = free.equal_hash
    from free where p.id = free.id
    returning p.id
  )
  select coalesce(array_agg(changed.id), '{}') into replaced from changed;

  update kelpie.idempotency_keys k set fingerprint = item.new_fingerprint
  from unnest(payout_ids, order_ids, old_fingerprints, new_fingerprints)
    as item (payout_id, order_id, old_fingerprint, new_fingerprint)
  where k.order_id = item.order_id and k.payout_id = item.payout_id and k.fingerprint = item.old_fingerprint
    and item.payout_id = any (replaced);

  update kelpie.known_recipients r set account_index = item.new_index, id_encrypted = item.new_id
  from unnest(
    recipient_partners, recipient_environments, recipient_indexes, numbers, new_recipient_indexes, new_ids
  ) as item (partner_id, environment, account_index, number, new_index, new_id)
  where r.partner_id = item.partner_id and r.environment = item.environment and r.account_index = item.account_index
    and r.number = item.number and (r.id_encrypted is null) = (item.new_id is null);

  update kelpie.paid_accounts a set account_index = item.new_index
  from (
    select distinct i.partner_id, i.environment, i.old_index, i.new_index
    from unnest(partner_ids, environments, old_indexes, new_indexes) as i (partner_id, environment, old_index, new_index)
  ) item
  where a.partner_id = item.partner_id and a.environment = item.environment and a.account_index = item.old_index
    and not exists (
      select from kelpie.paid_accounts known
      where known.partner_id = item.partner_id and known.environment = item.environment
        and known.account_index = item.new_index
    );
  return cardinality(replaced);
end;
$$;
