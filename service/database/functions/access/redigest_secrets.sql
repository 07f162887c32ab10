-- Replaces digests of secrets that were recognised under an earlier pepper: of API keys, also of rolled ones, and of sessions.
-- Each comes with the MAC that its row has, and the one for its new digest. A row that has another by now is skipped, and so is
-- the second secret of a key in one call: it is replaced at its next use.
-- Whoever knows the old digest alone gains nothing: the new one is made of the secret.
-- The commit doesn't wait for the standby: a replacement that is lost is made at the next use. A row that is locked is skipped.
-- Locks: the keys, then the sessions, each in the order of its id.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.redigest_secrets(
  old_digests bytea[], new_digests bytea[], old_macs bytea[], new_macs bytea[], new_version integer
) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  update kelpie.api_keys k set
    secret_hmac = case when k.secret_hmac = found.old_digest then found.new_digest else k.secret_hmac end,
    pepper_version = case when k.secret_hmac = found.old_digest then new_version else k.pepper_version end,
    previous_secret_hmac = case when k.secret_hmac = found.old_digest then k.previous_secret_hmac else found.new_digest end,
    mac = found.new_mac
  from (
    select free.id, item.old_digest, item.new_digest, item.new_mac
    from kelpie.api_keys free
    cross join lateral (
      select i.* from unnest(old_digests, new_digests, old_macs, new_macs) as i (old_digest, new_digest, old_mac, new_mac)
      where i.old_mac = free.mac and i.old_digest in (free.secret_hmac, free.previous_secret_hmac)
      order by i.old_digest limit 1
    ) item
    where free.secret_hmac = any (old_digests) or free.previous_secret_hmac = any (old_digests)
    order by free.id
    for no key update of free skip locked
  ) found
  where k.id = found.id;
  update kelpie.sessions s set token_hmac = found.new_digest, mac = found.new_mac
  from (
    select free.id, item.new_digest, item.new_mac
    from unnest(old_digests, new_digests, old_macs, new_macs) as item (old_digest, new_digest, old_mac, new_mac)
    join kelpie.sessions free on free.token_hmac = item.old_digest and free.mac = item.old_mac
    order by free.id
    for no key update of free skip locked
  ) found
  where s.id = found.id;
end;
$$;
