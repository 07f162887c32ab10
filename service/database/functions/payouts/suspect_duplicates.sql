-- The part of create_payouts that says which payouts look like a second order for one that exists: same partner and environment,
-- same account and amount, created since then under another key. Payouts that were not paid, or came back, don't count.
-- Guarantees: it is called under the wallets' locks, so it sees every payout of theirs that was created before.
-- Returns by place. It only says so: nothing is refused. It looks at 100 equal payouts at most.
-- Callers: kelpie_payouts
create or replace function kelpie.suspect_duplicates(
  partner_ids uuid[],
  environments kelpie.environment[],
  order_ids uuid[],
  account_indexes bytea[],
  amounts_pence bigint[],
  equal_hashes bigint[],
  since_id uuid
) returns boolean[]
  -- Not SQL: that would be planned again at each call.
  language plpgsql stable
as $$
begin
  return array(
    select exists (
      select from (
        select p.state, p.order_id from kelpie.payouts p
        where p.equal_hash = item.equal_hash
          -- Without an upper end: of a range the planner expects so few that it would read the newest payouts of everyone.
          and p.id >= since_id
          -- Two hashes may be the same. Not as `=`: a plan could then read all payouts of the partner instead.
          and p.account_index is not distinct from item.account_index
          and p.amount_pence is not distinct from item.amount
          and p.environment is not distinct from item.environment
          and p.partner_id is not distinct from item.partner_id
        -- Not in order: a plan could then sort all of them to find the first.
        limit 100
      ) recent
      where recent.order_id <> item.order_id and recent.state not in ('not_created', 'failed', 'cancelled', 'returned')
    )
    from unnest(partner_ids, environments, order_ids, account_indexes, amounts_pence, equal_hashes) with ordinality
      as item (partner_id, environment, order_id, account_index, amount, equal_hash, place)
    order by item.place
  );
end;
$$;
