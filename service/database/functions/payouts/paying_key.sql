-- Whether an API key may create payouts for a partner and environment, at this instant and by this secret: it must be that
-- partner's, of scope `pay`, neither expired nor revoked. `by` is the prefix of the secret that was used: a secret that was
-- rolled pays until its overlap ends. One row with the key's limits, or none.
-- Not planned by itself: PostgreSQL inlines it into create_payouts, where it costs two look-ups by key.
-- Callers: kelpie_payouts
create or replace function kelpie.paying_key(
  of_key uuid, of_partner uuid, of_environment kelpie.environment, by text, at timestamptz
)
  returns table (caller_id uuid, partner_status text, daily_limit_pence bigint, full_limit_at timestamptz)
  language sql stable
as $$
  select k.id, p.status, k.daily_limit_pence, k.full_limit_at
  from kelpie.api_keys k
  join kelpie.partners p on p.id = k.partner_id
  where k.id = of_key and k.partner_id = of_partner and k.environment = of_environment and k.revoked_at is null
    and k.scope = 'pay' and (k.expires_at is null or k.expires_at > at)
    and (k.key_prefix = by or (k.previous_prefix = by and k.previous_expires_at > at))
$$;
