-- Stops a partner's live payouts, for an operator. Stopping takes one person. Requires an entry of `partner.freeze` in the
-- audit log in the same transaction.
-- Returns false, and changes nothing, when they are frozen already.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_freeze_partner(of_partner uuid, of_reason text, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  operator text := kelpie.require_audit('partner.freeze', of_partner::text);
begin
  return kelpie.add_payment_block('frozen', null, of_partner, 'live', of_reason, at, operator) is not null;
end;
$$;
