-- Leases deliveries that are due, to one worker.
--
-- Guarantees: a delivery is leased to one worker at a time, and of those about one subject at an endpoint one is leased. An endpoint
--   that fails has one lease at a time; any other has `at_most_each`. When a lease ends without a result, the delivery is due again.
-- Cost: endpoints that are due by webhook_endpoints_due, and for each a few look-ups by index, however much it has pending.
-- Locks: these endpoints. Those that another transaction has locked are skipped: it changes what is due there.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
-- Applied after: 0035
create or replace function kelpie.claim_deliveries(
  now_at timestamptz, lease_until timestamptz, at_most integer, at_most_each integer
) returns table (
  endpoint_id uuid, event_id uuid, attempt integer, previous_sequence bigint, partner_id uuid, environment kelpie.environment,
  url text, secret_encrypted bytea, previous_secret_encrypted bytea, previous_secret_until timestamptz, failures integer,
  sequence bigint, type text, subject_id uuid, version integer, at timestamptz, snapshot jsonb
)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  endpoint record;
  leased integer;
  room integer;
  taken integer;
  left_over integer := at_most;
begin
  for endpoint in
    select w.id, w.failures from kelpie.webhook_endpoints w
    where w.due_at <= now_at and w.disabled_at is null and w.deleted_at is null
    order by w.due_at limit 200 for no key update skip locked
  loop
    exit when left_over = 0;
    -- Their worker died, or could not write down what it met.
    update kelpie.webhook_deliveries d set leased_until = null, due_at = now_at
    where d.endpoint_id = endpoint.id and d.leased_until <= now_at;
    select count(*) into leased from (
      select from kelpie.webhook_deliveries d
      where d.endpoint_id = endpoint.id and d.leased_until > now_at limit at_most_each
    ) under_way;
    room := case when kelpie.is_failing(endpoint.failures) then 1 else at_most_each end - leased;
    return query
      with chosen as (
        select d.event_id from kelpie.webhook_deliveries d
        where d.endpoint_id = endpoint.id and d.state = 'pending' and d.leased_until is null
          -- A probe may come before its delivery's own time: what waits for hours would keep a failing endpoint from recovering.
          and (d.due_at <= now_at or (kelpie.is_failing(endpoint.failures) and d.due_at is not null))
        order by d.due_at, d.event_id limit greatest(least(room, left_over), 0)
      ), claimed as (
        update kelpie.webhook_deliveries d set leased_until = lease_until, attempts = d.attempts + 1
        from chosen where d.event_id = chosen.event_id and d.endpoint_id = endpoint.id
        returning d.event_id, d.attempts, d.previous_sequence
      )
      select w.id, e.id, c.attempts, c.previous_sequence, w.partner_id, w.environment, w.url, w.secret_encrypted,
        w.previous_secret_encrypted, w.previous_secret_until, w.failures, e.sequence, e.type::text, e.subject_id, e.version, e.at, e.snapshot
      from claimed c
      join kelpie.events e on e.id = c.event_id
      join kelpie.webhook_endpoints w on w.id = endpoint.id
      order by e.sequence;
    get diagnostics taken = row_count;
    left_over := left_over - taken;
    -- A full endpoint is looked at when a result makes room; any other when its next delivery is due, or a lease ends.
    update kelpie.webhook_endpoints w set due_at = case
      when taken >= room then lease_until
      else least(
        coalesce((
          select d.due_at from kelpie.webhook_deliveries d
          where d.endpoint_id = endpoint.id and d.state = 'pending' and d.leased_until is null and d.due_at is not null
          order by d.due_at limit 1
        ), 'infinity'),
        coalesce((
          select d.leased_until from kelpie.webhook_deliveries d
          where d.endpoint_id = endpoint.id and d.leased_until is not null
          order by d.leased_until limit 1
        ), 'infinity')
      )
    end
    where w.id = endpoint.id;
  end loop;
end;
$$;
