-- The part of apply_transitions that gives the limits back what was never sent: takes each payout whose transition marked it
-- (given_back_revision) from the counters of its day.
-- Guarantees: once for each payout, because the mark is set once.
-- Locks: counters. Giving back a hold has locked their wallets before, so no other transaction holds one of them.
-- Callers: kelpie_payouts
create or replace function kelpie.give_back_spending(payout_ids uuid[], from_revisions integer[], is_done boolean[]) returns void
  language plpgsql volatile
as $$
begin
  update kelpie.daily_spending s
  set spent_pence = s.spent_pence - back.pence
  from (
    select p.partner_id, p.environment, p.counted_on, one.subject, sum(p.amount_pence)::bigint as pence
    from unnest(payout_ids, from_revisions) with ordinality as item (id, from_revision, place)
    join kelpie.payouts p on p.id = item.id
    cross join lateral (values
      (''::bytea), (uuid_send(p.api_key_id)), (case when p.counted_new_payee then p.account_index end)
    ) as one (subject)
    where is_done[item.place] and p.given_back_revision > item.from_revision and one.subject is not null
    group by p.partner_id, p.environment, p.counted_on, one.subject
  ) back
  where s.partner_id = back.partner_id and s.environment = back.environment and s.on_day = back.counted_on
    and s.subject = back.subject;
end;
$$;
