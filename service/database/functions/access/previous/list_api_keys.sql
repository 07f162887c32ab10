-- Lists a partner's API keys in both environments: active ones, and those revoked after `revoked_after`. Newest first.
-- Active keys fill the limit first: hundreds of revoked keys must not hide one that can still pay.
-- Callers: everyone
create or replace function kelpie.list_api_keys(
  of_partner uuid, of_environment kelpie.environment, revoked_after timestamptz, at_most integer
)
  returns table (
    id uuid, environment kelpie.environment, key_prefix text, label text, created_at timestamptz, last_used_at timestamptz,
    revoked_at timestamptz
  )
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select * from (
      select k.id, k.environment, k.key_prefix, k.label, k.created_at, k.last_used_at, k.revoked_at
      from kelpie.api_keys k
      where k.partner_id = of_partner and (k.revoked_at is null or k.revoked_at > revoked_after)
      order by k.revoked_at is null desc, k.id desc limit at_most
    ) listed
    order by listed.id desc;
end;
$$;
