-- Ends all sessions of the person who holds this one, in every account, except this one. Each account that had some gets a
-- security event; this one gets its event in any case.
-- It takes a session rather than an email address, so that only the person can do it.
-- Locks: the person's sessions, in the order of their ids.
-- Returns how many it ended, or null when this session was ended meanwhile.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.end_own_sessions(
  of_session uuid, of_request uuid, from_network text, from_browser text, at timestamptz
) returns integer
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  own record;
  ended uuid[];
begin
  select s.partner_id, s.email into own from kelpie.sessions s where s.id = of_session;
  perform from kelpie.sessions s where s.email = own.email and s.revoked_at is null order by s.id for no key update;
  if not exists (select from kelpie.sessions s where s.id = of_session and s.revoked_at is null) then
    return null;
  end if;
  with gone as (
    update kelpie.sessions s set revoked_at = at
    where s.email = own.email and s.id <> of_session and s.revoked_at is null
      and s.created_at > at - interval '12 hours' and s.last_seen_at > at - interval '30 minutes'
    returning s.partner_id
  )
  select coalesce(array_agg(g.partner_id), '{}') into ended from gone g;
  insert into kelpie.security_events (id, partner_id, action, status, by, detail, network, browser)
  select
    case when account.id = own.partner_id then of_request
      else overlay(of_request::text placing substr(gen_random_uuid()::text, 20) from 20)::uuid end,
    account.id, 'session.end_all', 200, own.email, 'me', from_network::cidr, from_browser
  from (select unnest(ended) as id union select own.partner_id) account;
  return cardinality(ended);
end;
$$;
