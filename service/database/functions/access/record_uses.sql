-- Records when API keys and sessions were last used, of any partners. A process calls it at most once a minute for each. What
-- finds a key or a session writes nothing, so a server that takes no writes can do it.
-- The commit doesn't wait for the standby, because losing a use in a crash is acceptable. A row that is locked is skipped.
-- Locks: the keys, then the sessions, each in the order of its id.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.record_uses(
  key_ids uuid[], key_instants timestamptz[], session_ids uuid[], session_instants timestamptz[]
) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  update kelpie.api_keys k set last_used_at = used.instant
  from (
    select free.id, item.instant
    from unnest(key_ids, key_instants) as item (id, instant)
    join kelpie.api_keys free on free.id = item.id
    where free.last_used_at is null or free.last_used_at < item.instant
    order by free.id
    for no key update of free skip locked
  ) used
  where k.id = used.id;
  update kelpie.sessions s set last_seen_at = used.instant
  from (
    select free.id, item.instant
    from unnest(session_ids, session_instants) as item (id, instant)
    join kelpie.sessions free on free.id = item.id
    where free.last_seen_at < item.instant
    order by free.id
    for no key update of free skip locked
  ) used
  where s.id = used.id;
end;
$$;
