-- The part of create_payouts that counts what was granted toward the limits, with the arrays of judge_limits. A payout that
-- failed at once counts for nothing.
-- Guarantees: a counter that would pass its limit raises check_violation, and nothing of the batch happens.
-- Returns by place the day on which each counts, null where it does not, and whether it counts toward a new payee.
-- Locks: counters in the order of their key, after their wallets.
-- Callers: kelpie_payouts
create or replace function kelpie.count_spending(
  is_granted boolean[],
  partner_ids uuid[],
  environments kelpie.environment[],
  first_states kelpie.payout_state[],
  amounts_pence bigint[],
  by_places integer[],
  by_days date[],
  by_kinds text[],
  by_subjects bytea[],
  by_limits bigint[],
  out days date[],
  out is_new_payee boolean[]
)
  language plpgsql volatile
as $$
begin
  insert into kelpie.daily_spending as s (partner_id, environment, on_day, subject, spent_pence, limit_pence)
  select partner_ids[due.place], environments[due.place], due.day, due.subject, sum(amounts_pence[due.place]),
    -- A key's limit may end between two payouts of a batch.
    case when count(*) = count(due.limit_pence) then max(due.limit_pence) end
  from unnest(by_places, by_days, by_subjects, by_limits) as due (place, day, subject, limit_pence)
  where is_granted[due.place] and first_states[due.place] <> 'failed'
  group by 1, 2, 3, 4
  order by 1, 2, 3, 4
  on conflict (partner_id, environment, on_day, subject) do update
  set spent_pence = s.spent_pence + excluded.spent_pence, limit_pence = excluded.limit_pence;
  select array_agg(counted.day order by item.place), array_agg(counted.is_new_payee order by item.place)
  into days, is_new_payee
  from generate_subscripts(is_granted, 1) as item (place)
  left join (
    select due.place, min(due.day) as day, bool_or(due.kind = 'new_payee') as is_new_payee
    from unnest(by_places, by_days, by_kinds) as due (place, day, kind)
    where is_granted[due.place] and first_states[due.place] <> 'failed'
    group by due.place
  ) counted on counted.place = item.place;
end;
$$;
