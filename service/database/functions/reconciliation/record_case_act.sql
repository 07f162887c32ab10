-- Adds the acting operator's act to a case's history. Call it after require_audit, with the case locked: concurrent calls
-- would compute the same number, and the second would fail.
-- Callers: everyone
create or replace function kelpie.record_case_act(
  of_case uuid, at timestamptz, new_what text, new_detail text, new_transfer_ids uuid[]
) returns void
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
begin
  insert into kelpie.case_history (case_id, number, partner_id, environment, at, what, by, detail, transfer_ids)
  select c.id, 1 + (select count(*) from kelpie.case_history h where h.case_id = c.id), c.partner_id, c.environment,
    record_case_act.at, new_what, kelpie.acting_operator(), new_detail, new_transfer_ids
  from kelpie.cases c where c.id = of_case;
end;
$$;
