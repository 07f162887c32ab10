-- The payout that an idempotency key stands for, with the digest of its body: empty where the payout was rebuilt from the
-- bank's record and its body is not known. No row where the key is free.
-- Callers: everyone
create or replace function kelpie.find_claim(of_partner uuid, of_environment kelpie.environment, of_order_id uuid)
  returns table (payout_id uuid, fingerprint bytea)
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select k.payout_id, k.fingerprint from kelpie.idempotency_keys k
    where k.order_id = of_order_id and (
      k.fingerprint <> ''
      or exists (select from kelpie.payouts p where p.id = k.payout_id and p.recovered_at is not null)
    );
end;
$$;
