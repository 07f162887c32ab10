-- Keeps the accounts that a sandbox has paid, when it gets its first limits: until then they are not kept.
-- Callers: kelpie_payouts
create or replace function kelpie.find_paid_accounts(of_partner uuid, of_environment kelpie.environment) returns void
  language sql volatile
as $$
  insert into kelpie.paid_accounts (partner_id, environment, account_index)
  select distinct p.partner_id, p.environment, p.account_index
  from kelpie.payouts p
  where p.partner_id = of_partner and p.environment = of_environment and p.completed_at is not null
    and p.account_index is not null
  order by 3
  on conflict do nothing
$$;
