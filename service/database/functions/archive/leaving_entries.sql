-- Lists the entries of a range of ids that leave the database with a month: those of its payouts, where all that was posted for
-- them was posted in it. A payout that was returned keeps its entries, and so does one that came to its end in the next month or
-- near a border of this one: what was posted for a payout is never in two places.
-- Cost: it reads the range, a day at most.
-- Callers: kelpie_ledger, kelpie_reader
create or replace function kelpie.leaving_entries(of_month date, first_id uuid, before_id uuid)
  returns setof kelpie.ledger_entries
  language plpgsql stable rows 50000
  -- Planned for the range: a plan for any range would compare each entry with each payout.
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  month_first uuid := kelpie.first_id_at(of_month::timestamp at time zone 'utc');
  month_before uuid := kelpie.first_id_at((of_month + interval '1 month') at time zone 'utc');
  -- Numbers of a wallet follow time, but for neighbours. What is near the border stays: so the chain of the next month begins at an
  -- entry that is here, or at the last that left.
  inner_first uuid := kelpie.first_id_at(of_month::timestamp at time zone 'utc' + interval '1 minute');
  inner_before uuid := kelpie.first_id_at((of_month + interval '1 month') at time zone 'utc' - interval '1 minute');
begin
  return query
    with whole as materialized (
      select c.cause_id as id
      from (
        select distinct e.cause_id from kelpie.ledger_entries e
        where e.transfer_id >= first_id and e.transfer_id < before_id
          and e.cause_id >= month_first and e.cause_id < month_before
      ) c
      -- One by one, by id: behind row security the planner takes a month of payouts for one row.
      cross join lateral (select each.state from kelpie.payouts each where each.id = c.cause_id limit 1) p
      where p.state <> 'returned' and not exists (
        select from kelpie.payout_history h cross join unnest(h.transfer_ids) as posted (id)
        where h.payout_id = c.cause_id and (posted.id < inner_first or posted.id >= inner_before)
      )
    )
    select e.* from kelpie.ledger_entries e
    where e.transfer_id >= first_id and e.transfer_id < before_id
      and e.cause_id in (select w.id from whole w)
      -- What an operator charges for a trace is of its own, and no part of the payout's history.
      and e.reason <> 'charge.bank_exceptions';
end;
$$;
