-- What an admin decides of looser approval rules that wait, in a session.
-- Guarantees: never the admin who asked for them approves them, nor anyone after 72 hours.
-- Returns `approved`, `declined`, or why not: `own`, `none` (nothing waits, or no longer) or `not_admin`.
-- Locks: the rules.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.decide_approval_rules(of_session uuid, approves boolean, at timestamptz) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  of_partner uuid := kelpie.current_partner();
  of_environment kelpie.environment := kelpie.current_environment();
  person text;
  rules kelpie.approval_rules;
begin
  select s.email into person from kelpie.sessions s
  join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id and m.role = 'admin'
  where s.id = of_session and s.partner_id = of_partner and s.revoked_at is null;
  if not found then
    return 'not_admin';
  end if;
  select r.* into rules from kelpie.approval_rules r
  where r.partner_id = of_partner and r.environment = of_environment for update;
  if not found or rules.pending_by is null or rules.pending_at <= at - interval '72 hours' then
    return 'none';
  end if;
  if approves and rules.pending_by = person then
    return 'own';
  end if;
  update kelpie.approval_rules r
  set above_pence = case when approves then r.pending_above_pence else r.above_pence end,
    new_payee = case when approves then r.pending_new_payee else r.new_payee end,
    api_key_ids = case when approves then r.pending_api_key_ids else r.api_key_ids end,
    pending_by = null, pending_at = null, pending_above_pence = null, pending_new_payee = null, pending_api_key_ids = null
  where r.partner_id = of_partner and r.environment = of_environment;
  return case when approves then 'approved' else 'declined' end;
end;
$$;
