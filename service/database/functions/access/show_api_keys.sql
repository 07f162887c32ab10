-- Lists a partner's API keys in both environments: active ones, and those that were revoked or expired after `ended_after`.
-- Newest first. Keys that end last fill the limit first: hundreds of revoked keys must not hide one that can still pay.
-- Callers: everyone
create or replace function kelpie.show_api_keys(
  of_partner uuid, of_environment kelpie.environment, ended_after timestamptz, at_most integer
)
  returns table (
    id uuid, environment kelpie.environment, key_prefix text, label text, created_at timestamptz, last_used_at timestamptz,
    revoked_at timestamptz, scope text, networks text[], expires_at timestamptz, daily_limit_pence bigint,
    full_limit_at timestamptz, previous_prefix text, previous_expires_at timestamptz
  )
  language plpgsql volatile
as $$
#variable_conflict use_column
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select listed.id, listed.environment, listed.key_prefix, listed.label, listed.created_at, listed.last_used_at,
      listed.revoked_at, listed.scope, listed.networks::text[], listed.expires_at, listed.daily_limit_pence,
      listed.full_limit_at, listed.previous_prefix, listed.previous_expires_at
    from (
      select k.*, coalesce(least(k.revoked_at, k.expires_at), 'infinity') as ends_at
      from kelpie.api_keys k
      where k.partner_id = of_partner
      order by ends_at desc, k.id desc limit at_most
    ) listed
    where listed.ends_at > ended_after
    order by listed.id desc;
end;
$$;
