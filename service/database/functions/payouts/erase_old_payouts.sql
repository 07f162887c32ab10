-- Erases people from payouts six years after their creation: the recipient, and the member who created or cancelled it. Looks at
-- up to `at_most` payouts, from where the last run ended, and records itself.
-- Guarantees: never before six years by the database's own clock: a caller with a wrong clock can't make it forget early.
-- Returns whether more may be left.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.erase_old_payouts(at timestamptz, at_most integer) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
as $$
declare
  until_at timestamptz := least(at, now()) - interval '6 years';
  seen timestamptz := coalesce((select max(r.seen_until) from kelpie.retention_runs r where r.job = 'erase-old-payouts'), '2000-01-01');
  ids uuid[];
  erased integer;
begin
  ids := array(
    select p.id from kelpie.payouts p
    where p.id >= kelpie.first_id_at(seen) and p.id < kelpie.first_id_at(until_at) order by p.id limit at_most
  );
  erased := kelpie.erase_recipients(ids, at);
  update kelpie.payouts p set created_by = 'erased' where p.id = any (ids) and p.created_by like '%@%';
  update kelpie.payout_history h set by = 'erased' where h.payout_id = any (ids) and h.by like '%@%';
  perform kelpie.record_retention(
    'erase-old-payouts', erased, at,
    case when cardinality(ids) < at_most then greatest(seen, until_at) else kelpie.instant_of(ids[at_most]) end
  );
  return cardinality(ids) = at_most;
end;
$$;
