-- Whether an API key or a person's session may create payouts for a partner and environment: one row, or none.
-- A person must be signed in, and still an admin; with real money the person also confirms each payout by an emailed code.
-- Callers: kelpie_payouts
create or replace function kelpie.payout_caller(
  via text, of_caller uuid, of_partner uuid, of_environment kelpie.environment
) returns table (caller_id uuid, partner_status text, needs_confirmation boolean)
  language sql stable
as $$
  select k.caller_id, k.partner_status, false
  from kelpie.paying_key(of_caller, of_partner, of_environment) k
  where via = 'api'
  union all
  select s.id, p.status, of_environment = 'live'
  from kelpie.sessions s
  join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id and m.role = 'admin'
  join kelpie.partners p on p.id = s.partner_id
  where via = 'dashboard' and s.id = of_caller and s.partner_id = of_partner and s.revoked_at is null
$$;
