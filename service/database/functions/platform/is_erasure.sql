-- Whether two operators erase a person in this very transaction. For triggers that keep rows as they are, which run with
-- their caller's rights: only kelpie_payouts may change what an erasure changes.
-- Owner: kelpie_payouts
-- Callers: kelpie_payouts
create or replace function kelpie.is_erasure() returns boolean
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from kelpie.proposals a
    where a.action in ('person.erase', 'recipient.erase') and a.outcome = 'done' and a.decided_tx = pg_current_xact_id()
  )
$$;
