-- Lists wallets whose low-balance alert may have to change, one page at a time. Those are low wallets whose partner may not
-- have been notified, and wallets with an alert on record that are no longer low.
-- Guarantees: a page never splits the environments of one partner, so the caller can continue after its last partner.
--   `at_most` counts partners, 500 at most.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.list_wallets_to_watch(after_partner uuid, at_most integer)
  returns table (partner_id uuid, environment kelpie.environment)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  with watched as (
    select w.partner_id, w.environment
    from kelpie.partners p
    join kelpie.wallets w on w.partner_id = p.id
    left join kelpie.wallet_alerts a on a.partner_id = w.partner_id and a.environment = w.environment
    where p.wallet_low_micro_usdc is not null and p.id > after_partner and case
      when w.balance_micro_usdc < p.wallet_low_micro_usdc
        then a.low_since is null or a.notified_at is null or a.low_since > a.notified_at
          or a.threshold_micro_usdc <> p.wallet_low_micro_usdc
      else a.low_since is not null or a.notified_at is not null
    end
  )
  select c.partner_id, c.environment from watched c
  where c.partner_id in (select distinct o.partner_id from watched o order by 1 limit least(at_most, 500))
  order by c.partner_id, c.environment
$$;
