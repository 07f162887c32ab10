-- Why a payout needs a second admin, by the rules of its partner's environment as they are now. Empty where it needs none.
-- Callers: kelpie_payouts
create or replace function kelpie.approval_reasons(
  of_partner uuid, of_environment kelpie.environment, of_key uuid, amount_pence bigint, of_account bytea
) returns text[]
  language sql stable
as $$
  select coalesce((
    select array_remove(array[
      case when amount_pence > r.above_pence then 'amount' end,
      case when r.new_payee and not exists (
        select from kelpie.paid_accounts a
        where a.partner_id = of_partner and a.environment = of_environment and a.account_index = of_account
      ) then 'new_payee' end,
      case when of_key = any (r.api_key_ids) then 'key' end
    ], null)
    from kelpie.approval_rules r where r.partner_id = of_partner and r.environment = of_environment
  ), '{}')
$$;
