-- Whether two operators bind this payout to the bank's payment in this very transaction. For the trigger on payouts, which
-- runs with its caller's rights.
-- Owner: kelpie_payouts
-- Callers: kelpie_service, kelpie_payouts
create or replace function kelpie.is_being_adopted(of_payout uuid) returns boolean
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from kelpie.proposals a
    where a.action = 'payout.adopt' and a.subject = of_payout::text and a.outcome = 'done'
      and a.decided_tx = pg_current_xact_id()
  )
$$;
