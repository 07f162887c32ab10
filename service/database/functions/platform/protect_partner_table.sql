-- Forces row security on a table with partners' rows. The service sees and writes the rows of its transaction's partner,
-- and of its environment where the scope is 'environment'; the reading role sees all rows.
-- A migration calls it once for each such table. Other roles get their policies beside it, and every role its grants.
-- Callers: none
-- Applied after: 0001
create or replace function kelpie.protect_partner_table(
  table_name text,
  scope text default 'environment',
  service_may text default 'all',
  partner_column text default 'partner_id'
) returns void
  language plpgsql volatile
as $$
declare
  bound text := format('%I = kelpie.current_partner()', partner_column)
    || case scope
      when 'partner' then ''
      when 'environment' then ' and environment = kelpie.current_environment()'
    end;
begin
  execute format('alter table kelpie.%I enable row level security, force row level security', table_name);
  execute format('create policy reader_all on kelpie.%I for select to kelpie_reader using (true)', table_name);
  case service_may
    when 'select' then
      execute format('create policy service_own on kelpie.%I for select to kelpie_service using (%s)', table_name, bound);
    when 'all' then
      execute format(
        'create policy service_own on kelpie.%I to kelpie_service using (%s) with check (%s)', table_name, bound, bound
      );
  end case;
end;
$$;
