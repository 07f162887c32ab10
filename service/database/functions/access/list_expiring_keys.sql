-- Lists API keys that expire within 7 days and whose admins have not been emailed about it, soonest first. A key that lives
--   for less than that is not listed: the email about its creation says when it expires.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.list_expiring_keys(at timestamptz, at_most integer)
  returns table (id uuid, partner_id uuid, environment kelpie.environment)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select k.id, k.partner_id, k.environment
  from kelpie.api_keys k
  where k.expires_at > at and k.expires_at <= at + interval '7 days' and k.revoked_at is null
    and k.expiry_notified_at is null and k.expires_at > k.created_at + interval '7 days'
  order by k.expires_at limit at_most
$$;
