-- Sets the factor by which a partner's rate limits are multiplied, for an operator. Requires a partner.limit entry in the
-- audit log in the same transaction.
-- Returns false when there is no such partner.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_set_rate_factor(of_partner uuid, to_factor integer) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('partner.limit', of_partner::text);
  update kelpie.partners p set rate_factor = to_factor where p.id = of_partner;
  return found;
end;
$$;
