-- The part of create_payouts for payouts to which limits may apply: says which of those that were claimed fit the funds of
-- their wallet and every limit of their day. Writes nothing; count_spending counts what was granted.
--
-- Guarantees: payouts are judged in order of arrival. One that is refused uses up neither funds nor a limit.
-- Returns by place: is_wanted, false where it is refused; for a limit, the one with the least left, so that what is left is
--   the most that would have passed; for funds, what the wallet held at its turn. A limit is told before missing funds: who
--   tops up a wallet shall not find out about the limit afterwards.
--   by_places and the other arrays beside it are what each payout counts toward, in order of arrival: the day, the counter
--   and its limit.
-- Locks: wallets. Whoever changes a counter has its wallet locked, so what is read here stays as it is until commit.
-- Callers: kelpie_payouts
create or replace function kelpie.judge_limits(
  is_claimed boolean[],
  partner_ids uuid[],
  environments kelpie.environment[],
  api_key_ids uuid[],
  instants timestamptz[],
  amounts_pence bigint[],
  wallet_debits_micro_usdc bigint[],
  account_indexes bytea[],
  out is_wanted boolean[],
  out exceeded text[],
  out limits_pence bigint[],
  out left_pence bigint[],
  out available bigint[],
  out by_places integer[],
  out by_days date[],
  out by_kinds text[],
  out by_subjects bytea[],
  out by_limits bigint[]
)
  language plpgsql volatile
as $$
declare
  wallets record;
  balances bigint[];
  counters integer[];
  spent bigint[];
  is_within boolean;
  -- The wallet of each payout, by its place among those that were locked.
  wallet_of integer[];
  at integer := 1;
  first integer;
  rest bigint;
begin
  select array_agg(w.partner_id) as partners, array_agg(w.environment) as environments,
    array_agg(w.balance_micro_usdc) as balances
  into wallets
  from (
    select array_agg(item.partner_id) as partners, array_agg(item.environment) as environments
    from unnest(partner_ids, environments) with ordinality as item (partner_id, environment, place)
    where is_claimed[item.place]
  ) claimed
  cross join lateral kelpie.lock_wallets(claimed.partners, claimed.environments) w;

  -- Only now, in a statement of its own: it sees what the transactions that we waited for have counted.
  select array_agg(d.place order by d.place, d.rank), array_agg(d.day order by d.place, d.rank),
    array_agg(d.kind order by d.place, d.rank), array_agg(d.subject order by d.place, d.rank),
    array_agg(d.limit_pence order by d.place, d.rank), array_agg(d.counter order by d.place, d.rank),
    array_agg(d.spent order by d.place, d.rank), bool_and(d.spent + d.wanted <= d.limit_pence)
  into by_places, by_days, by_kinds, by_subjects, by_limits, counters, spent, is_within
  from (
    select due.place, due.day, due.rank, due.kind, due.subject, due.limit_pence, coalesce(s.spent_pence, 0) as spent,
      sum(due.amount) over (partition by due.partner_id, due.environment, due.day, due.subject) as wanted,
      dense_rank() over (order by due.partner_id, due.environment, due.day, due.subject)::integer as counter
    from (
      select item.place::integer as place, item.partner_id, item.environment, item.amount,
        kelpie.london_day(item.instant) as day, one.rank, one.kind, one.subject, one.limit_pence
      from unnest(partner_ids, environments, api_key_ids, instants, amounts_pence, account_indexes) with ordinality
        as item (partner_id, environment, api_key_id, instant, amount, account_index, place)
      cross join lateral kelpie.limits_of(item.partner_id, item.environment) l
      left join kelpie.api_keys k on k.id = item.api_key_id
      cross join lateral (values
        (1, 'daily', ''::bytea, l.daily_pence),
        (2, 'key', uuid_send(item.api_key_id), kelpie.key_limit_at(k.daily_limit_pence, k.full_limit_at, item.instant)),
        (3, 'new_payee', item.account_index, l.new_payee_pence)
      ) as one (rank, kind, subject, limit_pence)
      where is_claimed[item.place] and (item.environment = 'live' or l.is_set or k.daily_limit_pence is not null)
        and one.subject is not null and (one.kind <> 'new_payee' or not exists (
          select from kelpie.paid_accounts a
          where a.partner_id = item.partner_id and a.environment = item.environment and a.account_index = item.account_index
        ))
    ) due
    left join kelpie.daily_spending s on s.partner_id = due.partner_id and s.environment = due.environment
      and s.on_day = due.day and s.subject = due.subject
  ) d;
  is_wanted := is_claimed;
  -- As a rule everything fits, and posting the holds decides about the funds. Null where nothing has a limit.
  if is_within is not false then
    return;
  end if;

  -- From now on by counter, as it stands at the turn of each payout.
  select array_agg(c.spent order by c.counter) into spent
  from (select distinct u.counter, u.spent from unnest(counters, spent) as u (counter, spent)) c;
  select array_agg(w.nth order by item.place) into wallet_of
  from unnest(partner_ids, environments) with ordinality as item (partner_id, environment, place)
  left join unnest(wallets.partners, wallets.environments) with ordinality as w (partner_id, environment, nth)
    on w.partner_id = item.partner_id and w.environment = item.environment;
  balances := wallets.balances;
  for place in 1 .. cardinality(is_claimed) loop
    continue when not is_claimed[place];
    first := at;
    while at <= cardinality(by_places) and by_places[at] = place loop
      rest := by_limits[at] - spent[counters[at]];
      if rest < amounts_pence[place] and (left_pence[place] is null or rest < left_pence[place]) then
        exceeded[place] := by_kinds[at];
        limits_pence[place] := by_limits[at];
        left_pence[place] := rest;
      end if;
      at := at + 1;
    end loop;
    if exceeded[place] is not null then
      is_wanted[place] := false;
      -- A limit that was lowered may be below what was spent.
      left_pence[place] := greatest(left_pence[place], 0);
    elsif balances[wallet_of[place]] < wallet_debits_micro_usdc[place] then
      is_wanted[place] := false;
      available[place] := balances[wallet_of[place]];
    else
      balances[wallet_of[place]] := balances[wallet_of[place]] - wallet_debits_micro_usdc[place];
      for counted in first .. at - 1 loop
        spent[counters[counted]] := spent[counters[counted]] + amounts_pence[place];
      end loop;
    end if;
  end loop;
end;
$$;
