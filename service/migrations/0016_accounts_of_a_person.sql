-- One address can be a member of several partners. Whoever has proven it by a code may see which, and go from one to another
-- without a second code.

grant create on schema kelpie to kelpie_access;

-- The accounts of whoever has this session, the one that it is for first. Nobody else is told where an address is a member.
create function kelpie.list_accounts(of_session uuid, at_most integer)
  returns table (slug text, name text, role text, last_login_at timestamptz, is_current boolean)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return query
    select p.slug, p.name, m.role, m.last_login_at, m.partner_id = s.partner_id
    from kelpie.sessions s
    join kelpie.members m on m.email = s.email
    join kelpie.partners p on p.id = m.partner_id
    where s.id = of_session and s.revoked_at is null
    order by m.partner_id <> s.partner_id, p.name, p.slug limit at_most;
end;
$$;
revoke all on function kelpie.list_accounts(uuid, integer) from public;
grant execute on function kelpie.list_accounts(uuid, integer) to kelpie_service;
alter function kelpie.list_accounts(uuid, integer) owner to kelpie_access;

-- Trades a session for one of another account of the same person. The old one ends, and the new one ends when the old one
-- would have: going back and forth proves nothing anew. No row where the session is over, or the account is none of theirs.
create function kelpie.enter_account(
  of_token_hmac bytea, of_slug text, at timestamptz, new_session_id uuid, new_token_hmac bytea
) returns table (partner_id uuid, created_at timestamptz)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  session record;
  wanted uuid;
begin
  select s.id, s.email, s.created_at into session
  from kelpie.sessions s join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id
  where s.token_hmac = of_token_hmac and s.revoked_at is null
    and s.created_at > at - interval '12 hours' and s.last_seen_at > at - interval '30 minutes';
  if not found then
    return;
  end if;
  -- The member before its sessions, in the order of whoever removes it: they would wait for each other otherwise.
  select m.partner_id into wanted from kelpie.members m
  where m.email = session.email and m.partner_id = (select p.id from kelpie.partners p where p.slug = of_slug)
  for no key update;
  if not found then
    return;
  end if;
  -- One session becomes one other, however often it is asked for at once.
  update kelpie.sessions s set revoked_at = at where s.id = session.id and s.revoked_at is null;
  if not found then
    return;
  end if;
  update kelpie.members m set last_login_at = at where m.email = session.email and m.partner_id = wanted;
  insert into kelpie.sessions (id, partner_id, email, token_hmac, created_at, last_seen_at)
  values (new_session_id, wanted, session.email, new_token_hmac, session.created_at, at);
  return query select wanted, session.created_at;
end;
$$;
revoke all on function kelpie.enter_account(bytea, text, timestamptz, uuid, bytea) from public;
grant execute on function kelpie.enter_account(bytea, text, timestamptz, uuid, bytea) to kelpie_service;
alter function kelpie.enter_account(bytea, text, timestamptz, uuid, bytea) owner to kelpie_access;

revoke create on schema kelpie from kelpie_access;
