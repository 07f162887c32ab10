-- Adds up what was posted in pounds for a partner between two ids, by reason; charges apart from their reversals. What an
-- invoice posted itself, its payments and its voiding are no charges. The ledger's role owns it so that the partner is checked once here, and not by row
-- security for each of many thousand rows.
-- Owner: kelpie_ledger
-- Callers: kelpie_service
create or replace function kelpie.gather_charges(of_partner uuid, from_id uuid, before_id uuid)
  returns table (reason text, is_taken_back boolean, items bigint, amount numeric)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
  -- A month of one partner is a small part of the table, also where few partners are known.
  set enable_seqscan = off
as $$
begin
  -- Also where the transaction names none.
  if kelpie.current_partner() is distinct from of_partner then
    raise exception 'charges of another partner' using errcode = 'insufficient_privilege';
  end if;
  return query
    select e.reason, e.amount < 0, count(*), sum(e.amount)
    from kelpie.ledger_entries e
    where e.partner_id = of_partner and e.transfer_id >= from_id and e.transfer_id < before_id
      and e.account in ('receivable', 'credit_due', 'accrued') and e.environment = 'live'
      and e.reason not like 'invoice.%'
    group by 1, 2;
end;
$$;
