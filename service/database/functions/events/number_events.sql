-- Numbers what was committed, the oldest first.
--
-- Guarantees: the numbers of a partner and environment have no gap, and go up with the versions of each subject; an event has
--   one number. One caller at a time does it: the next one sees all that was numbered before.
-- Returns how many it took, or null where another caller is at it.
-- Locks: the numbering itself, without waiting; then counters, in the order of their key.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.number_events(now_at timestamptz, at_most integer) returns integer
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  -- The oldest by their key, and counters by theirs, also on a connection that first saw few of them.
  set enable_seqscan = off
as $$
declare
  ids uuid[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('kelpie: number events', 0)) then
    return null;
  end if;
  with taken as (
    delete from kelpie.unnumbered_events u
    where u.number = any (array(select o.number from kelpie.unnumbered_events o order by o.number limit at_most))
    returning u.*
  ), counted as (
    insert into kelpie.event_counters as c (partner_id, environment, last_sequence)
    select t.partner_id, t.environment, count(*) from taken t group by t.partner_id, t.environment
    order by t.partner_id, t.environment
    on conflict (partner_id, environment) do update set last_sequence = c.last_sequence + excluded.last_sequence
    returning c.partner_id, c.environment, c.last_sequence
  ), numbered as (
    insert into kelpie.events (id, partner_id, environment, sequence, type, subject_id, version, at, snapshot)
    select kelpie.new_id_at(now_at), t.partner_id, t.environment,
      c.last_sequence - row_number() over (partition by t.partner_id, t.environment order by t.number desc) + 1,
      t.type, t.subject_id, t.version, t.at, t.snapshot
    from taken t
    join counted c on c.partner_id = t.partner_id and c.environment = t.environment
    returning id
  )
  select coalesce(array_agg(numbered.id), '{}') into ids from numbered;
  perform kelpie.fan_out_events(ids, now_at);
  return cardinality(ids);
end;
$$;
