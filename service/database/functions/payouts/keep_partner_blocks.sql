-- Trigger function that keeps a partner's blocks in step with its status and its screening, so that payment_blocks alone
-- explains who may not pay. A suspended partner is blocked everywhere; one whose screening is `review` or `blocked`, in live.
-- Applied after: 0016
-- Owner: kelpie_payouts
-- Callers: kelpie_owner
create or replace function kelpie.keep_partner_blocks() returns trigger
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  act record;
  wanted record;
begin
  -- The operator whose act this is. Other changes of status have none.
  select a.at, a.operator, a.detail::jsonb ->> 'reason' as reason into act
  from kelpie.audit_log a
  where a.seq = (select h.seq from kelpie.audit_head h) and a.tx = pg_current_xact_id();
  for wanted in
    select * from (values
      ('suspended', null::kelpie.environment, new.status = 'suspended', new.status),
      ('screening', 'live', new.screening in ('review', 'blocked'), new.screening)
    ) as w (cause, environment, is_blocked, said)
  loop
    if wanted.is_blocked then
      perform kelpie.add_payment_block(
        wanted.cause, null, new.id, wanted.environment, coalesce(act.reason, wanted.said), coalesce(act.at, now()),
        coalesce(act.operator, 'kelpie')
      );
    else
      perform kelpie.lift_payment_block(
        b.id, coalesce(act.reason, wanted.said), coalesce(act.at, now()), coalesce(act.operator, 'kelpie')
      )
      from kelpie.payment_blocks b where b.partner_id = new.id and b.cause = wanted.cause;
    end if;
  end loop;
  return null;
end;
$$;
