-- Lists a partner's deposits, newest first, with ids from `from_id` to before `before_id`. A null filter matches all.
-- Callers: everyone
create or replace function kelpie.list_deposits(
  of_partner uuid, of_environment kelpie.environment, from_id uuid, before_id uuid, of_states text[], of_method text,
  at_most integer
) returns table (
  id uuid, method text, state text, sent_pence bigint, net_micro_usdc bigint, fee_micro_usdc bigint,
  gbp_per_usd_millionths bigint, reversed_micro_usdc bigint, sender_encrypted bytea, credited_at timestamptz,
  updated_at timestamptz
)
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select d.id, d.method, d.state, d.sent_pence, d.net_micro_usdc, d.fee_micro_usdc, d.gbp_per_usd_millionths,
      d.reversed_micro_usdc, d.sender_encrypted, d.credited_at, d.updated_at
    from kelpie.deposits d
    where d.partner_id = of_partner and d.environment = of_environment and d.id >= from_id and d.id < before_id
      and (of_states is null or d.state = any (of_states)) and (of_method is null or d.method = of_method)
    order by d.id desc limit at_most;
end;
$$;
