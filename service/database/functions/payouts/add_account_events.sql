-- Adds an event for each environment of a partner whose payouts a block has just stopped, or that can pay again without it.
-- Part of add_payment_block and lift_payment_block, whose lock it needs: otherwise two blocks at once would both be the first.
-- Guarantees: a block beside another one changes nothing for the partner, and adds no event.
-- Applied after: 0035
-- Callers: kelpie_payouts
create or replace function kelpie.add_account_events(
  of_type kelpie.event_type, of_partner uuid, of_environment kelpie.environment, at timestamptz
) returns void
  language plpgsql volatile
as $$
begin
  insert into kelpie.unnumbered_events (partner_id, environment, type, subject_id, version, at, snapshot)
  select e.partner_id, e.environment, of_type, e.partner_id,
    (select count(*) from kelpie.payment_block_history h where h.partner_id = of_partner), add_account_events.at,
    jsonb_build_object(
      'object', 'account', 'id', p.id, 'environment', e.environment, 'status', p.status,
      'is_paused', of_type = 'account.paused'
    )
  from kelpie.partner_environments e join kelpie.partners p on p.id = e.partner_id
  where e.partner_id = of_partner and (of_environment is null or e.environment = of_environment)
    and (
      select count(*) from kelpie.payment_blocks b
      where b.partner_id = of_partner and (b.environment is null or b.environment = e.environment)
    ) = case when of_type = 'account.paused' then 1 else 0 end
  order by e.environment;
end;
$$;
