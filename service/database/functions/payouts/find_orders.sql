-- What the database knows of orders of one partner: the payout that each stands for now, and whether its body is known.
-- No row for an order that it does not know.
-- Callers: everyone
create or replace function kelpie.find_orders(of_partner uuid, of_environment kelpie.environment, of_order_ids uuid[])
  returns table (
    order_id uuid, payout_id uuid, state kelpie.payout_state, bank_payment_id text, has_body boolean
  )
  language plpgsql volatile
  -- Rows are found by their keys alone. A plan made while a table was small would read all of it later.
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select k.order_id, p.id, p.state, p.bank_payment_id, k.fingerprint <> ''
    from unnest(of_order_ids) as item (id)
    join kelpie.idempotency_keys k on k.order_id = item.id
    join kelpie.payouts p on p.id = k.payout_id;
end;
$$;
