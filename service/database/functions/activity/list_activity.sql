-- Lists a partner's newest requests in both environments, newest first: money actions and everything else.
-- It opens only as many pages as it needs to fill the limit. A request that was written in two pages is listed once.
-- Callers: everyone
create or replace function kelpie.list_activity(of_partner uuid, of_environment kelpie.environment, at_most integer)
  returns table (id uuid, environment kelpie.environment, action text, status integer, by text, detail text)
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select distinct on (entry.id) entry.id, entry.environment, entry.action, entry.status, entry.by, entry.detail
    from (
      (
        select a.id, a.environment, a.action, a.status, a.by, a.detail
        from kelpie.activity a
        where a.partner_id = of_partner
        order by a.id desc limit at_most
      )
      union all
      select (e.value->>0)::uuid, (e.value->>1)::kelpie.environment, e.value->>2, (e.value->>3)::integer, e.value->>4,
        e.value->>5
      from (
        select p.entries, p.size, sum(p.size) over (order by p.id desc) as so_far
        from (
          select page.id, page.size, page.entries from kelpie.activity_pages page
          where page.partner_id = of_partner
          order by page.id desc limit at_most
        ) p
      ) p
      cross join lateral jsonb_array_elements(p.entries) e
      where p.so_far - p.size < at_most
    ) entry
    order by entry.id desc limit at_most;
end;
$$;
