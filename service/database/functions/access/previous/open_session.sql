-- Checks a sign-in code and opens a session if it is right. Only the newest code for an address counts, within ten
-- minutes, once, and with five attempts.
-- Guarantees: every attempt is counted before it is checked, so concurrent guesses can't exceed the limits. The new
--   session replaces the one that the browser had before.
-- Accounts: a member of several partners signs in to the one named by `of_slug`, or else to the most recently used one.
--   A person who has signed in before creates another business only by naming its slug. Otherwise a stranger could sign
--   up with a member's address, and the member's next sign-in would open the stranger's business.
-- Locks: the code, the address's guess counter, the member, then the browser's old session.
-- Returns one row at most:
--   opened   the session exists.
--   sign_up  the code is right, and its business must be created next: call open_first_session.
--   wrong    the code is wrong and was counted. partner_id is set when the address is a member: its activity shows it.
-- No row means that there was no usable code or no attempt left. The caller must not reveal which.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.open_session(
  of_email text, of_slug text, of_email_hmac bytea, given_code_hmac bytea, at timestamptz, new_session_id uuid,
  new_token_hmac bytea, old_token_hmac bytea
) returns table (outcome text, partner_id uuid, code_id uuid, sign_up_slug text, sign_up_encrypted bytea)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  code record;
  member record;
  is_right boolean;
  is_sign_up boolean;
begin
  -- Concurrent guesses at one address wait here, so that each is counted before it is checked.
  select c.id, c.code_hmac, c.sign_up_slug, c.sign_up_encrypted into code from kelpie.sign_in_codes c
  where c.email_hmac = of_email_hmac order by c.id desc limit 1 for update;
  -- Looked up even when there is no code, so that the response time reveals nothing.
  select m.partner_id, m.last_login_at into member
  from kelpie.members m join kelpie.partners p on p.id = m.partner_id
  where m.email = of_email and (of_slug is null or p.slug = of_slug)
  order by m.last_login_at desc nulls last, m.created_at desc limit 1;
  if code.id is null or not exists (
    select from kelpie.sign_in_codes c
    where c.id = code.id and c.used_at is null and c.tries < 5 and c.created_at > at - interval '10 minutes'
  ) then
    return;
  end if;
  update kelpie.sign_in_codes c set tries = c.tries + 1 where c.id = code.id;
  if not kelpie.may_guess(of_email_hmac, at) then
    return;
  end if;
  is_sign_up := code.sign_up_slug is not null
    and (of_slug is not distinct from code.sign_up_slug or (of_slug is null and member.last_login_at is null));
  is_right := code.code_hmac = given_code_hmac and (is_sign_up or member.partner_id is not null);
  if is_right is not true then
    return query select 'wrong', member.partner_id, null::uuid, null::text, null::bytea;
    return;
  end if;
  update kelpie.wrong_guesses g set guesses = g.guesses - 1
  where g.email_hmac = of_email_hmac and g.on_day = (at at time zone 'utc')::date;
  if is_sign_up then
    return query select 'sign_up', null::uuid, code.id, code.sign_up_slug, code.sign_up_encrypted;
    return;
  end if;
  update kelpie.sign_in_codes c set used_at = at where c.id = code.id;
  -- Lock the member before the sessions, as removing a member does: the two would deadlock otherwise.
  update kelpie.members m set last_login_at = at where m.email = of_email and m.partner_id = member.partner_id;
  if not found then
    return;
  end if;
  update kelpie.sessions s set revoked_at = at where s.token_hmac = old_token_hmac and s.revoked_at is null;
  insert into kelpie.sessions (id, partner_id, email, token_hmac, created_at, last_seen_at)
  values (new_session_id, member.partner_id, of_email, new_token_hmac, at, at);
  return query select 'opened', member.partner_id, code.id, null::text, null::bytea;
end;
$$;
