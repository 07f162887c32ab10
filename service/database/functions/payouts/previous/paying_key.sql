-- Whether an API key may create payouts for a partner and environment: it must be that partner's, and not revoked. One row,
-- or none. Not planned by itself: PostgreSQL inlines it into create_payouts, where it costs two look-ups by key.
-- Callers: kelpie_payouts
create or replace function kelpie.paying_key(of_key uuid, of_partner uuid, of_environment kelpie.environment)
  returns table (caller_id uuid, partner_status text)
  language sql stable
as $$
  select k.id, p.status
  from kelpie.api_keys k
  join kelpie.partners p on p.id = k.partner_id
  where k.id = of_key and k.partner_id = of_partner and k.environment = of_environment and k.revoked_at is null
$$;
