-- Blocks the payments of a rail or of a partner, for an operator. Stopping takes one person. Requires an entry of
-- `rail.pause` about that rail or partner in the audit log in the same transaction.
-- Guarantees: only causes that an operator judges. The others follow from a partner's record, the bank or a restore.
-- Returns the block's id; null, and changes nothing, when that cause blocks the same payments already.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_block_payments(
  of_cause text, on_rail kelpie.rail, of_partner uuid, of_environment kelpie.environment, of_reason text, at timestamptz
) returns uuid
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  operator text := kelpie.require_audit('rail.pause', coalesce(on_rail::text, of_partner::text));
begin
  if of_cause not in ('rail_paused', 'partner_paused', 'debt', 'frozen') then
    raise exception 'no operator blocks for %', of_cause using errcode = 'check_violation';
  end if;
  return kelpie.add_payment_block(of_cause, on_rail, of_partner, of_environment, of_reason, at, operator);
end;
$$;
