-- Claims payouts of one environment that are due, for one worker, 500 at most. Partners take turns: each one's longest due
-- comes first, then each one's second, and so on. So 10,000 due payouts of one partner cost another one a place, not 10,000.
-- Guarantees: a payout is leased to one worker at a time. When the lease ends without a release, the payout is due again.
--   Partners in full_partners are left out: they have their share of the worker. No payout waits for ever: where more
--   partners have open payouts than are visited, the longest due of all come before the turns.
-- After five claims in a row without a release, each further lease is twice as long as the one before, up to 64 times the
--   normal lease. Such a payout probably crashes its worker.
-- due_at is set to the end of the lease: an earlier due_at at release means that a webhook arrived in between.
-- Cost: it reads the 500 longest due, by payout_leases_environment_due; nothing more while all that is due is among them.
--   Otherwise it visits the partners with open payouts one by one, 5,000 at most, by payout_leases_turns: one look-up for
--   each, so what a partner has due beyond its turn is not read. Some 10 µs a partner. The environment is in each order:
--   see docs/database.md, Order behind row security.
-- Locks: the claimed lease rows. Rows that another worker has locked are skipped.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.claim_due_payouts(
  of_environment kelpie.environment, at timestamptz, lease interval, at_most integer, full_partners uuid[]
) returns table (payout_id uuid, partner_id uuid, environment kelpie.environment, webhook_payment_id text)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  -- Rows are found by their keys alone. A plan made while the table was small would read all of it later.
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  most constant integer := least(at_most, 500);
  seen integer;
  oldest uuid[];
  chosen uuid[];
begin
  select count(*), array_agg(d.id order by d.due_at) filter (where d.is_wanted),
    array_agg(d.id order by d.place, d.due_at) filter (where d.is_wanted)
  into seen, oldest, chosen
  from (
    select due.id, due.due_at, due.partner_id <> all (full_partners) as is_wanted,
      row_number() over (partition by due.partner_id order by due.due_at) as place
    from (
      select o.payout_id as id, o.partner_id, o.due_at from kelpie.payout_leases o
      where o.environment = of_environment and o.due_at <= at and o.leased_until <= at
      order by o.environment, o.due_at limit 500
    ) due
  ) d;
  if seen = 500 then
    with recursive turn (partner_id, number) as (
      (select o.partner_id, 1 from kelpie.payout_leases o where o.environment = of_environment
        order by o.environment, o.partner_id limit 1)
      union all
      select (
        select o.partner_id from kelpie.payout_leases o
        where o.environment = of_environment and o.partner_id > turn.partner_id
        order by o.environment, o.partner_id limit 1
      ), turn.number + 1
      from turn where turn.partner_id is not null and turn.number < 5000
    )
    select case when (select max(turn.number) from turn) = 5000 then oldest[1:most / 4] end
      || array_agg(d.id order by d.place, d.due_at)
    into chosen
    from turn
    cross join lateral (
      select o.payout_id as id, o.due_at, row_number() over (order by o.environment, o.due_at) as place
      from kelpie.payout_leases o
      where o.environment = of_environment and o.partner_id = turn.partner_id and o.due_at <= at and o.leased_until <= at
      order by o.environment, o.due_at limit most
    ) d
    where turn.partner_id <> all (full_partners);
  end if;

  return query
    with due as (
      select o.payout_id as id
      from unnest(chosen) with ordinality as item (id, place)
      join kelpie.payout_leases o on o.payout_id = item.id
      where o.due_at <= at and o.leased_until <= at
      order by item.place limit most
      for update of o skip locked
    )
    update kelpie.payout_leases o
    set leased_until = at + lease * power(2, least(greatest(o.claims - 4, 0), 6)),
      due_at = at + lease * power(2, least(greatest(o.claims - 4, 0), 6)),
      claims = o.claims + 1
    from due where o.payout_id = due.id
    returning o.payout_id, o.partner_id, o.environment, o.webhook_payment_id;
end;
$$;
