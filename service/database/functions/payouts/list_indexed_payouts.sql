-- Lists the next payouts with what their digests are made of: the recipient and the order, encrypted where it is so in the row.
-- Any partner's. The fingerprint is null where the payout's key stands for another attempt. A payout with a lease is being
-- worked on: it is listed as held, and its digests stay for now.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.list_indexed_payouts(after_id uuid, at_most integer) returns table (
  id uuid, partner_id uuid, environment kelpie.environment, amount_pence bigint, reference text, recipient_encrypted bytea,
  bank_recipient_encrypted bytea, account_index bytea, order_id uuid, fingerprint bytea, is_held boolean
)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select p.id, p.partner_id, p.environment, p.amount_pence, p.reference, p.recipient_encrypted, p.bank_recipient_encrypted,
      p.account_index, p.order_id, k.fingerprint, exists (select from kelpie.payout_leases l where l.payout_id = p.id)
    from kelpie.payouts p
    left join kelpie.idempotency_keys k on k.order_id = p.order_id and k.payout_id = p.id and k.fingerprint <> ''
    where p.id > after_id
    order by p.id
    limit at_most;
end;
$$;
