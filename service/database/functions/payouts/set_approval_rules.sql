-- Sets the approval rules of the transaction's partner and environment, as one admin wishes. What only tightens them holds from
-- the commit on. Anything else waits for another admin (kelpie.decide_approval_rules), and replaces what waited before.
-- Guarantees: one admin loosens nothing; rules are turned on only where there are two admins.
-- Returns `set`, `pending`, `too_few_admins` or `not_admin`.
-- Locks: the rules.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.set_approval_rules(
  of_session uuid, new_above bigint, new_new_payee boolean, new_keys uuid[], at timestamptz
) returns text
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
  insert into kelpie.approval_rules (partner_id, environment, new_payee, api_key_ids)
  values (of_partner, of_environment, false, '{}')
  on conflict do nothing;
  select r.* into strict rules from kelpie.approval_rules r
  where r.partner_id = of_partner and r.environment = of_environment for update;
  if (rules.above_pence is not null and (new_above > rules.above_pence or new_above is null))
    or (rules.new_payee and not new_new_payee) or not rules.api_key_ids <@ new_keys then
    update kelpie.approval_rules r
    set pending_by = person, pending_at = at, pending_above_pence = new_above, pending_new_payee = new_new_payee,
      pending_api_key_ids = new_keys
    where r.partner_id = of_partner and r.environment = of_environment;
    return 'pending';
  end if;
  if (select count(*) from kelpie.members m where m.partner_id = of_partner and m.role = 'admin') < 2 then
    return 'too_few_admins';
  end if;
  -- A sandbox without limits does not keep whom it has paid.
  if of_environment = 'sandbox' and new_new_payee and not rules.new_payee then
    perform kelpie.find_paid_accounts(of_partner, of_environment);
  end if;
  -- What waited was to loosen other rules than these.
  update kelpie.approval_rules r
  set above_pence = new_above, new_payee = new_new_payee, api_key_ids = new_keys, pending_by = null, pending_at = null,
    pending_above_pence = null, pending_new_payee = null, pending_api_key_ids = null
  where r.partner_id = of_partner and r.environment = of_environment;
  return 'set';
end;
$$;
