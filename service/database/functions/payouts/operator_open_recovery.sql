-- Opens live again after a recovery, which one operator proposed and another approves: lifts the block, and raises the
-- heartbeat to its anchor.
-- Raises, so that no part of it stands: KP413 where no import has found everything, KP414 where the outcome of a payout from
-- before the recovery is still unknown, and what take_proposal raises.
-- Locks: the proposal, the recovery, the heartbeat.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.operator_open_recovery(
  of_proposal uuid, of_recovery uuid, anchored bigint, at timestamptz
) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
  proposal kelpie.proposals := kelpie.take_proposal(of_proposal, 'recovery.open', of_recovery::text, at);
  approver text := kelpie.require_audit('recovery.open', of_recovery::text);
  began timestamptz;
begin
  select r.began_at into began from kelpie.recoveries r
  where r.id = of_recovery and r.opened_at is null and r.imported_at is not null for update;
  if not found then
    raise exception 'a recovery that is not imported' using errcode = 'KP413';
  end if;
  if exists (
    select from (
      select l.payout_id as id from kelpie.payout_leases l where l.environment = 'live'
      union
      select c.payout_id from kelpie.cases c
      where c.environment = 'live' and c.closed_at is null and c.payout_id is not null
    ) waiting
    join kelpie.payouts p on p.id = waiting.id
    where p.state in ('sending', 'pending') and p.id < kelpie.first_id_at(began)
  ) then
    raise exception 'a payout whose outcome is unknown' using errcode = 'KP414';
  end if;
  update kelpie.recoveries r set opened_at = operator_open_recovery.at, opened_by = approver where r.id = of_recovery;
  update kelpie.heartbeat h set number = greatest(h.number, anchored), at = operator_open_recovery.at;
  perform kelpie.lift_payment_block(b.id, proposal.detail::jsonb ->> 'reason', at, approver)
  from kelpie.payment_blocks b where b.cause = 'recovery';
end;
$$;
