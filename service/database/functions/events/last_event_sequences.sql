-- How far the events of several partners are numbered, each with its place in the arrays. Without events it is 0.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.last_event_sequences(partner_ids uuid[], environments kelpie.environment[])
  returns table (place bigint, last_sequence bigint)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  return query
    select feed.place, coalesce(c.last_sequence, 0)
    from unnest(partner_ids, environments) with ordinality as feed (partner_id, environment, place)
    left join kelpie.event_counters c on c.partner_id = feed.partner_id and c.environment = feed.environment;
end;
$$;
