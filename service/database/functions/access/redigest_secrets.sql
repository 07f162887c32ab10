-- Replaces digests of secrets that were recognised under an earlier pepper: of API keys, also of rolled ones, and of sessions.
-- Whoever knows the old digest alone gains nothing: the new one is made of the secret.
-- The commit doesn't wait for the standby: a replacement that is lost is made at the next use. A row that is locked is skipped.
-- Locks: the keys, then the sessions, each in the order of its id.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.redigest_secrets(old_digests bytea[], new_digests bytea[], new_version integer) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  update kelpie.api_keys k set
    secret_hmac = coalesce(found.new_secret, k.secret_hmac),
    pepper_version = case when found.new_secret is null then k.pepper_version else new_version end,
    previous_secret_hmac = coalesce(found.new_previous, k.previous_secret_hmac)
  from (
    select free.id, current.new_digest as new_secret, previous.new_digest as new_previous
    from kelpie.api_keys free
    left join unnest(old_digests, new_digests) as current (old_digest, new_digest) on current.old_digest = free.secret_hmac
    left join unnest(old_digests, new_digests) as previous (old_digest, new_digest)
      on previous.old_digest = free.previous_secret_hmac
    where free.secret_hmac = any (old_digests) or free.previous_secret_hmac = any (old_digests)
    order by free.id
    for no key update of free skip locked
  ) found
  where k.id = found.id;
  update kelpie.sessions s set token_hmac = found.new_digest
  from (
    select free.id, item.new_digest
    from unnest(old_digests, new_digests) as item (old_digest, new_digest)
    join kelpie.sessions free on free.token_hmac = item.old_digest
    order by free.id
    for no key update of free skip locked
  ) found
  where s.id = found.id;
end;
$$;
