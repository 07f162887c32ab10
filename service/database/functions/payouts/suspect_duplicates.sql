-- The part of create_payouts that says which payouts look like a second order for one that exists: same partner and environment,
-- same account and amount, created in the 24 hours before under another key. Payouts that were not paid, or came back, don't count.
-- Guarantees: of equal payouts of a batch all but the first are suspected. It is called under the wallets' locks, so it sees
--   every payout that was created before.
-- Returns by place. It only says so: nothing is refused. It looks at 100 equal payouts at most.
-- Callers: kelpie_payouts
create or replace function kelpie.suspect_duplicates(
  is_granted boolean[],
  partner_ids uuid[],
  environments kelpie.environment[],
  order_ids uuid[],
  first_states kelpie.payout_state[],
  account_indexes bytea[],
  amounts_pence bigint[],
  since_id uuid
) returns boolean[]
  -- Not SQL: that would be planned again at each call.
  language plpgsql stable
as $$
begin
  return (
    select array_agg(
      item.has_equal or exists (
        select from (
          select p.state, p.order_id from kelpie.payouts p
          where hash_record_extended(row(p.partner_id, p.environment, p.account_index, p.amount_pence), 0) = item.hash
            -- Without an upper end: of a range the planner expects so few that it would read the newest payouts of everyone.
            and p.id >= since_id
            -- Two hashes may be the same. Not as `=`: a plan could then read all payouts of the partner instead.
            and p.account_index is not distinct from item.account_index
            and p.amount_pence is not distinct from item.amount
            and p.partner_id is not distinct from item.partner_id
          -- Not in order: a plan could then sort all of them to find the first.
          limit 100
        ) recent
        where recent.order_id <> item.order_id and recent.state not in ('not_created', 'failed', 'cancelled', 'returned')
      )
      order by item.place
    )
    from (
      select each.*, count(*) filter (where is_granted[each.place] and each.state <> 'failed') over (
        partition by each.hash order by each.place rows between unbounded preceding and 1 preceding
      ) > 0 as has_equal
      from (
        select i.*, hash_record_extended(row(i.partner_id, i.environment, i.account_index, i.amount), 0) as hash
        from unnest(partner_ids, environments, order_ids, first_states, account_indexes, amounts_pence) with ordinality
          as i (partner_id, environment, order_id, state, account_index, amount, place)
      ) each
    ) item
  );
end;
$$;
