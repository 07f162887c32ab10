-- Writes pages of requests, of many partners in one commit. Safe to repeat: pages that exist are left alone.
-- The commit doesn't wait for the standby: none of these requests moved money, so losing some in a crash is acceptable.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.record_activity(ids uuid[], partner_ids uuid[], sizes integer[], pages jsonb[]) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into kelpie.activity_pages (id, partner_id, size, entries)
  select item.id, item.partner_id, item.size, item.entries
  from unnest(ids, partner_ids, sizes, pages) as item (id, partner_id, size, entries)
  on conflict do nothing;
end;
$$;
