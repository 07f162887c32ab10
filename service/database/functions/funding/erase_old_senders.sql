-- Erases who sent a top-up, six years after it arrived. Looks at up to `at_most` top-ups, from where the last run ended, and
-- records itself.
-- Guarantees: never before six years by the database's own clock: a caller with a wrong clock can't make it forget early. The
--   trigger legal_transitions judges it again.
-- Returns whether more may be left.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.erase_old_senders(at timestamptz, at_most integer) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
as $$
declare
  until_at timestamptz := least(at, now()) - interval '6 years';
  seen timestamptz := coalesce((select max(r.seen_until) from kelpie.retention_runs r where r.job = 'erase-old-senders'), '2000-01-01');
  ids uuid[];
  erased integer;
begin
  ids := array(
    select d.id from kelpie.deposits d
    where d.id >= kelpie.first_id_at(seen) and d.id < kelpie.first_id_at(until_at) order by d.id limit at_most
  );
  update kelpie.deposits d set sender_encrypted = null where d.id = any (ids) and d.sender_encrypted is not null;
  get diagnostics erased = row_count;
  perform kelpie.record_retention(
    'erase-old-senders', erased, at,
    case when cardinality(ids) < at_most then greatest(seen, until_at) else kelpie.instant_of(ids[at_most]) end
  );
  return cardinality(ids) = at_most;
end;
$$;
