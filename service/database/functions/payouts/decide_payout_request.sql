-- What an admin decides of a payout request, in a session. An approval is good for a minute, in which create_payouts creates the
-- payout and closes the request; a request whose payout was refused stays open.
-- Guarantees: nobody approves what they asked for, or what a key of theirs asks for; a request is decided once, and in time.
-- Returns `approved` (to be paid now), `declined`, or why not: `own`, `not_found`, `not_admin`, `requester_gone` (the member
-- who asked is no admin any more), or the state that the request has by now: `was_approved`, `was_declined`, `was_expired`.
-- Locks: the request.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.decide_payout_request(of_request uuid, of_session uuid, approves boolean, at timestamptz)
  returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  of_partner uuid := kelpie.current_partner();
  person text;
  request kelpie.payout_requests;
begin
  select r.* into request from kelpie.payout_requests r
  where r.id = of_request and r.partner_id = of_partner and r.environment = kelpie.current_environment() for update;
  if not found then
    return 'not_found';
  end if;
  select s.email into person from kelpie.sessions s
  join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id and m.role = 'admin'
  where s.id = of_session and s.partner_id = of_partner and s.revoked_at is null;
  if not found then
    return 'not_admin';
  end if;
  if request.state <> 'open' then
    return 'was_' || request.state;
  end if;
  if request.expires_at <= at then
    return 'was_expired';
  end if;
  if not approves then
    update kelpie.payout_requests r
    set state = 'declined', declined_by = person, decided_at = at, approved_by = null, approved_at = null, recipient_encrypted = null
    where r.id = of_request
    returning * into request;
    insert into kelpie.unnumbered_events (partner_id, environment, type, subject_id, version, at, snapshot)
    values (of_partner, request.environment, 'payout_request.declined', of_request, 2, at, kelpie.payout_request_snapshot(request));
    return 'declined';
  end if;
  if person = request.requester then
    return 'own';
  end if;
  if request.requested_via = 'dashboard' and not exists (
    select from kelpie.members m where m.partner_id = of_partner and m.email = request.requester and m.role = 'admin'
  ) then
    return 'requester_gone';
  end if;
  update kelpie.payout_requests r set approved_by = person, approved_at = at where r.id = of_request;
  return 'approved';
end;
$$;
