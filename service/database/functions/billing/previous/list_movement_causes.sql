-- What transfers of a partner were posted for.
-- Callers: everyone
create or replace function kelpie.list_movement_causes(of_partner uuid, of_environment kelpie.environment, of_transfers uuid[])
  returns table (transfer_id uuid, cause_id uuid)
  language plpgsql volatile
  set enable_seqscan = off
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select e.transfer_id, e.cause_id from unnest(of_transfers) as item (id)
    join kelpie.ledger_entries e on e.transfer_id = item.id and e.line = 1
    where e.partner_id = of_partner and e.environment = of_environment;
end;
$$;
