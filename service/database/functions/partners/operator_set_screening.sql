-- Records the sanctions screening of a partner, for an operator. Requires an entry of that action in the audit log in the
-- same transaction. `review` and `blocked` close live, by a block that kelpie.keep_partner_blocks keeps in step.
-- Returns false, and changes nothing, when the screening is no longer `from_screening`.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_set_screening(of_partner uuid, from_screening text, to_screening text)
  returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('partner.screening', of_partner::text);
  if to_screening not in ('review', 'blocked') then
    raise exception 'one operator only closes live by the screening' using errcode = 'check_violation';
  end if;
  update kelpie.partners p set screening = to_screening where p.id = of_partner and p.screening = from_screening;
  return found;
end;
$$;
