-- People: who may sign in for a partner, with which role, and how. A code and a session's token are never kept; what is kept
-- are keyed digests of them. An address is kept where a person is a member, and as a digest where somebody only tries.

create table kelpie.members (
  partner_id uuid not null references kelpie.partners (id),
  email text not null check (email = lower(email) and email ~ '^[^\s@]+@[^\s@]+$' and char_length(email) <= 254),
  name text check (char_length(name) between 1 and 120),
  role text not null check (role in ('admin', 'viewer')),
  invited_by text,
  created_at timestamptz not null,
  last_login_at timestamptz,
  -- One person can look after several businesses; a session is for one of them.
  primary key (partner_id, email)
);
comment on table kelpie.members is '@bounded @both-environments The people of a partner: at most 200.';
create index members_by_email on kelpie.members (email);
alter table kelpie.members enable row level security, force row level security;
create policy service_own on kelpie.members to kelpie_service
  using (partner_id = kelpie.current_partner()) with check (partner_id = kelpie.current_partner());
create policy reader_all on kelpie.members for select to kelpie_reader using (true);
create policy access_all on kelpie.members to kelpie_access using (true) with check (true);
grant select, insert, delete on kelpie.members to kelpie_service;
grant update (role, name) on kelpie.members to kelpie_service;
grant select on kelpie.members to kelpie_reader;
grant select, update (last_login_at) on kelpie.members to kelpie_access;

-- A person who has signed in, on one browser.
create table kelpie.sessions (
  id uuid primary key,
  partner_id uuid not null references kelpie.partners (id),
  email text not null,
  token_hmac bytea not null unique check (octet_length(token_hmac) = 32),
  created_at timestamptz not null,
  -- To the minute.
  last_seen_at timestamptz not null,
  revoked_at timestamptz,
  unique (id, partner_id)
);
comment on table kelpie.sessions is '@bounded @both-environments A few rows a person; those that are over are swept after a month.';
create index sessions_of_person on kelpie.sessions (email);
create index sessions_of_partner on kelpie.sessions (partner_id);
alter table kelpie.sessions enable row level security, force row level security;
create policy service_own on kelpie.sessions to kelpie_service
  using (partner_id = kelpie.current_partner()) with check (partner_id = kelpie.current_partner());
create policy reader_all on kelpie.sessions for select to kelpie_reader using (true);
create policy access_all on kelpie.sessions to kelpie_access using (true) with check (true);
grant select on kelpie.sessions to kelpie_service;
grant update (revoked_at) on kelpie.sessions to kelpie_service;
grant select (id, partner_id, email, created_at, last_seen_at, revoked_at) on kelpie.sessions to kelpie_reader;
grant select, insert, update, delete on kelpie.sessions to kelpie_access;

-- Codes that were mailed for signing in, by a digest of the address: somebody may ask for one for an address that is nobody's.
create table kelpie.sign_in_codes (
  id uuid primary key,
  email_hmac bytea not null check (octet_length(email_hmac) = 32),
  code_hmac bytea not null check (octet_length(code_hmac) = 32),
  -- The address and the code, encrypted, until they have been put into a mail.
  mail_sealed bytea,
  -- The business that this code opens when it is used, where it was asked for by signing up: its short name, and the rest of
  -- it encrypted. Before that there is no business: anybody can type anybody's address.
  sign_up_slug text check (sign_up_slug ~ '^[a-z0-9-]{2,40}$'),
  sign_up_sealed bytea,
  created_at timestamptz not null,
  tries integer not null default 0, -- squawk-ignore prefer-bigint-over-int
  used_at timestamptz,
  check ((sign_up_slug is null) = (sign_up_sealed is null))
);
comment on table kelpie.sign_in_codes is '@bounded @shared Codes of the last day; older ones are swept.';
create index sign_in_codes_of_address on kelpie.sign_in_codes (email_hmac, id);
create index sign_in_codes_to_mail on kelpie.sign_in_codes (id) where mail_sealed is not null;
grant select, insert, update, delete on kelpie.sign_in_codes to kelpie_access;

-- How often a wrong code was given for an address on a day. For signing in and for confirming an address has two digests:
-- the one can be guessed at by anybody, and must not keep a person who has signed in from paying.
create table kelpie.wrong_guesses (
  email_hmac bytea not null check (octet_length(email_hmac) = 32),
  on_day date not null,
  guesses integer not null, -- squawk-ignore prefer-bigint-over-int
  primary key (email_hmac, on_day)
);
comment on table kelpie.wrong_guesses is '@bounded @shared A row for each address that was guessed at, swept after some days.';
grant select, insert, update, delete on kelpie.wrong_guesses to kelpie_access;

-- Codes that were mailed for one live payout of one person: the newest confirms that order and no other.
create table kelpie.payout_confirmations (
  id uuid primary key,
  partner_id uuid not null,
  session_id uuid not null,
  email_hmac bytea not null check (octet_length(email_hmac) = 32),
  -- A keyed digest of the whole order, its idempotency key and the session included.
  order_hmac bytea not null check (octet_length(order_hmac) = 32),
  code_hmac bytea not null check (octet_length(code_hmac) = 32),
  created_at timestamptz not null,
  tries integer not null default 0, -- squawk-ignore prefer-bigint-over-int
  used_at timestamptz,
  foreign key (session_id, partner_id) references kelpie.sessions (id, partner_id) on delete cascade
);
comment on table kelpie.payout_confirmations is '@bounded @both-environments Five rows an hour and person at most, as long as its session.';
create index payout_confirmations_of_order on kelpie.payout_confirmations (session_id, order_hmac);
create index payout_confirmations_of_person on kelpie.payout_confirmations (email_hmac, created_at);
create index payout_confirmations_of_partner on kelpie.payout_confirmations (partner_id);
alter table kelpie.payout_confirmations enable row level security, force row level security;
create policy service_own on kelpie.payout_confirmations to kelpie_service
  using (partner_id = kelpie.current_partner()) with check (partner_id = kelpie.current_partner());
create policy reader_all on kelpie.payout_confirmations for select to kelpie_reader using (true);
create policy access_all on kelpie.payout_confirmations to kelpie_access using (true) with check (true);
grant select on kelpie.payout_confirmations to kelpie_service;
grant select (id, session_id, partner_id, created_at, tries, used_at) on kelpie.payout_confirmations to kelpie_reader;
grant select, insert, update on kelpie.payout_confirmations to kelpie_access;

grant create on schema kelpie to kelpie_access;

-- Notes that a code was asked for an address, whoever's that is. Says what came of it: added, too_many where five were within
-- the hour, or slug_taken where it was to open a business whose short name another has. What it does is the same for every
-- address.
create function kelpie.add_sign_in_code(
  new_id uuid, of_email_hmac bytea, new_code_hmac bytea, new_mail_sealed bytea, new_sign_up_slug text,
  new_sign_up_sealed bytea, at timestamptz
) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from kelpie.partners p where p.slug = new_sign_up_slug) then
    return 'slug_taken';
  end if;
  -- Two that come at the same moment are counted one after the other.
  perform pg_advisory_xact_lock(hashtextextended(encode(of_email_hmac, 'hex'), 0));
  if (
    select count(*) from kelpie.sign_in_codes c
    where c.email_hmac = of_email_hmac and c.created_at > at - interval '1 hour'
  ) >= 5 then
    return 'too_many';
  end if;
  insert into kelpie.sign_in_codes (id, email_hmac, code_hmac, mail_sealed, sign_up_slug, sign_up_sealed, created_at)
  values (new_id, of_email_hmac, new_code_hmac, new_mail_sealed, new_sign_up_slug, new_sign_up_sealed, at);
  return 'added';
end;
$$;
revoke all on function kelpie.add_sign_in_code(uuid, bytea, bytea, bytea, text, bytea, timestamptz) from public;
grant execute on function kelpie.add_sign_in_code(uuid, bytea, bytea, bytea, text, bytea, timestamptz) to kelpie_service;
alter function kelpie.add_sign_in_code(uuid, bytea, bytea, bytea, text, bytea, timestamptz) owner to kelpie_access;

-- The codes that are still to be mailed, the newest first.
create function kelpie.list_sign_in_mails(before uuid, at_most integer) returns setof uuid
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return query
    select c.id from kelpie.sign_in_codes c
    where c.mail_sealed is not null and c.id < before order by c.id desc limit at_most;
end;
$$;
revoke all on function kelpie.list_sign_in_mails(uuid, integer) from public;
grant execute on function kelpie.list_sign_in_mails(uuid, integer) to kelpie_service;
alter function kelpie.list_sign_in_mails(uuid, integer) owner to kelpie_access;

-- What is to be mailed of a code. It locks nothing: whoever signs in waits for the row, and could tell by the wait whether there
-- is a mail to write, and so whose the address is.
create function kelpie.show_sign_in_mail(of_code uuid)
  returns table (mail_sealed bytea, is_sign_up boolean, created_at timestamptz)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select c.mail_sealed, c.sign_up_slug is not null, c.created_at from kelpie.sign_in_codes c
    where c.id = of_code and c.mail_sealed is not null;
end;
$$;
revoke all on function kelpie.show_sign_in_mail(uuid) from public;
grant execute on function kelpie.show_sign_in_mail(uuid) to kelpie_service;
alter function kelpie.show_sign_in_mail(uuid) owner to kelpie_access;

-- It is not kept any more once it is mailed. Says false where another has done so meanwhile: whoever comes second waits here,
-- and must undo what it wrote.
create function kelpie.forget_sign_in_mail(of_code uuid) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update kelpie.sign_in_codes c set mail_sealed = null where c.id = of_code and c.mail_sealed is not null;
  return found;
end;
$$;
revoke all on function kelpie.forget_sign_in_mail(uuid) from public;
grant execute on function kelpie.forget_sign_in_mail(uuid) to kelpie_service;
alter function kelpie.forget_sign_in_mail(uuid) owner to kelpie_access;

-- Counts a guess at an address before it is judged, and says whether it may be: ten wrong ones a day are. A right one is
-- taken back by the caller.
create function kelpie.may_guess(of_email_hmac bytea, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  made integer;
begin
  insert into kelpie.wrong_guesses as g (email_hmac, on_day, guesses)
  values (of_email_hmac, (at at time zone 'utc')::date, 1)
  on conflict (email_hmac, on_day) do update set guesses = g.guesses + 1
  returning g.guesses into made;
  return made <= 10;
end;
$$;
revoke all on function kelpie.may_guess(bytea, timestamptz) from public;
alter function kelpie.may_guess(bytea, timestamptz) owner to kelpie_access;

-- Judges a code for an address, and opens a session where it is right: the newest code, within ten minutes, once, with five
-- tries. It says no more than one of these:
--   opened    the session is there;
--   sign_up   the code is right, and stands for a business that is still to be made: open_first_session follows;
--   wrong     the guess was judged, and counted. Where the address is a member's, its partner is named, for its own list.
-- No row at all: there was nothing to judge, or no guess is left. Whoever asked is told the same in both cases.
-- Who is a member of several partners signs in for the one that it names, or else for the one that it was at last. Who has
-- been somewhere opens another business only by naming it: else anybody could sign up with the address of a member, who would
-- then be led into a business of the other's making in place of their own. The session that the browser had before ends with
-- the new one.
create function kelpie.open_session(
  of_email text, of_slug text, of_email_hmac bytea, given_code_hmac bytea, at timestamptz, new_session_id uuid,
  new_token_hmac bytea, old_token_hmac bytea
) returns table (outcome text, partner_id uuid, code_id uuid, sign_up_slug text, sign_up_sealed bytea)
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
  -- Whoever guesses at the same address at the same moment waits here: each guess is counted before it is judged.
  select c.id, c.code_hmac, c.sign_up_slug, c.sign_up_sealed into code from kelpie.sign_in_codes c
  where c.email_hmac = of_email_hmac order by c.id desc limit 1 for update;
  -- Looked up in any case, so that it takes the same time.
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
    return query select 'sign_up', null::uuid, code.id, code.sign_up_slug, code.sign_up_sealed;
    return;
  end if;
  update kelpie.sign_in_codes c set used_at = at where c.id = code.id;
  -- The member before its sessions, in the order of whoever removes it: they would wait for each other otherwise.
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
revoke all on function kelpie.open_session(text, text, bytea, bytea, timestamptz, uuid, bytea, bytea) from public;
grant execute on function kelpie.open_session(text, text, bytea, bytea, timestamptz, uuid, bytea, bytea) to kelpie_service;
alter function kelpie.open_session(text, text, bytea, bytea, timestamptz, uuid, bytea, bytea) owner to kelpie_access;

-- Whether a code of a sign-up is still to be used. Whoever brings the same code at the same moment waits here for what becomes
-- of it, before anything is made.
create function kelpie.lock_sign_up_code(of_code uuid) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform from kelpie.sign_in_codes c
  where c.id = of_code and c.sign_up_slug is not null and c.used_at is null for update;
  return found;
end;
$$;
revoke all on function kelpie.lock_sign_up_code(uuid) from public;
grant execute on function kelpie.lock_sign_up_code(uuid) to kelpie_service;
alter function kelpie.lock_sign_up_code(uuid) owner to kelpie_access;

-- The first session of a business that a code has just made, in the transaction that makes it. Says false, and does nothing,
-- where the code was used meanwhile: what else the transaction did must then be undone.
create function kelpie.open_first_session(
  of_code uuid, of_partner uuid, of_email text, at timestamptz, new_session_id uuid, new_token_hmac bytea,
  old_token_hmac bytea
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update kelpie.sign_in_codes c set used_at = at where c.id = of_code and c.used_at is null;
  if not found then
    return false;
  end if;
  update kelpie.members m set last_login_at = at where m.email = of_email and m.partner_id = of_partner;
  if not found then
    raise exception 'a first session is for a member';
  end if;
  update kelpie.sessions s set revoked_at = at where s.token_hmac = old_token_hmac and s.revoked_at is null;
  insert into kelpie.sessions (id, partner_id, email, token_hmac, created_at, last_seen_at)
  values (new_session_id, of_partner, of_email, new_token_hmac, at, at);
  return true;
end;
$$;
revoke all on function kelpie.open_first_session(uuid, uuid, text, timestamptz, uuid, bytea, bytea) from public;
grant execute on function kelpie.open_first_session(uuid, uuid, text, timestamptz, uuid, bytea, bytea) to kelpie_service;
alter function kelpie.open_first_session(uuid, uuid, text, timestamptz, uuid, bytea, bytea) owner to kelpie_access;

-- Who a session's token stands for: twelve hours at most, and half an hour without a request. It is asked before anybody
-- knows whose rows to look at. One that is used is marked so, once a minute; as with a key, the mark is worth no wait: not for
-- the standby, which would keep everybody out while it is down, nor for another process that is just making it.
create function kelpie.find_session(of_token_hmac bytea, at timestamptz)
  returns table (id uuid, partner_id uuid, email text, role text, has_live boolean)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  session record;
begin
  select s.id, s.partner_id, s.email, s.last_seen_at, m.role into session
  from kelpie.sessions s join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id
  where s.token_hmac = of_token_hmac and s.revoked_at is null
    and s.created_at > at - interval '12 hours' and s.last_seen_at > at - interval '30 minutes';
  if not found then
    return;
  end if;
  if session.last_seen_at < at - interval '1 minute' then
    perform set_config('synchronous_commit', 'off', true);
    update kelpie.sessions s set last_seen_at = at
    where s.id = (select free.id from kelpie.sessions free where free.id = session.id for no key update skip locked)
      and s.last_seen_at < at - interval '1 minute';
  end if;
  return query
    select session.id, session.partner_id, session.email, session.role, exists (
      select from kelpie.partner_environments e where e.partner_id = session.partner_id and e.environment = 'live'
    );
end;
$$;
revoke all on function kelpie.find_session(bytea, timestamptz) from public;
grant execute on function kelpie.find_session(bytea, timestamptz) to kelpie_service;
alter function kelpie.find_session(bytea, timestamptz) owner to kelpie_access;

-- Whether an address is a member of anybody's.
create function kelpie.is_member(of_email text) returns boolean
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (select from kelpie.members m where m.email = of_email);
end;
$$;
revoke all on function kelpie.is_member(text) from public;
grant execute on function kelpie.is_member(text) to kelpie_service;
alter function kelpie.is_member(text) owner to kelpie_access;

-- Notes that a code is mailed for a payout: from then on it is the only one that confirms it. Says null, or from when on one
-- can be asked for again where the person has had five within the hour, in whichever session: then nothing was noted.
create function kelpie.add_payout_confirmation(
  new_id uuid, of_partner uuid, of_session uuid, of_email_hmac bytea, of_order_hmac bytea, new_code_hmac bytea, at timestamptz
) returns timestamptz
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  fifth_last timestamptz;
begin
  -- Two that come at the same moment are counted one after the other.
  perform pg_advisory_xact_lock(hashtextextended(encode(of_email_hmac, 'hex'), 1));
  select c.created_at into fifth_last from kelpie.payout_confirmations c
  where c.email_hmac = of_email_hmac and c.created_at > at - interval '1 hour'
  order by c.created_at desc offset 4 limit 1;
  if found then
    return fifth_last + interval '1 hour';
  end if;
  insert into kelpie.payout_confirmations (id, partner_id, session_id, email_hmac, order_hmac, code_hmac, created_at)
  values (new_id, of_partner, of_session, of_email_hmac, of_order_hmac, new_code_hmac, at);
  return null;
end;
$$;
revoke all on function kelpie.add_payout_confirmation(uuid, uuid, uuid, bytea, bytea, bytea, timestamptz) from public;
grant execute on function kelpie.add_payout_confirmation(uuid, uuid, uuid, bytea, bytea, bytea, timestamptz) to kelpie_service;
alter function kelpie.add_payout_confirmation(uuid, uuid, uuid, bytea, bytea, bytea, timestamptz) owner to kelpie_access;

-- A code for a payout: the newest that was mailed for it, within five minutes, once, with five tries. Says whether it was
-- right. Whoever guesses at the same one at the same moment waits for its row: each guess is counted before it is judged.
create function kelpie.confirm_payout(
  of_partner uuid, of_session uuid, of_order_hmac bytea, of_email_hmac bytea, given_code_hmac bytea, at timestamptz
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  newest record;
begin
  select c.id, c.code_hmac, c.tries, c.used_at, c.created_at into newest from kelpie.payout_confirmations c
  where c.partner_id = of_partner and c.session_id = of_session and c.email_hmac = of_email_hmac
    and c.order_hmac = of_order_hmac
  order by c.created_at desc, c.id desc limit 1 for update;
  if not found or newest.used_at is not null or newest.tries >= 5 or newest.created_at <= at - interval '5 minutes' then
    return false;
  end if;
  update kelpie.payout_confirmations c set tries = c.tries + 1 where c.id = newest.id;
  if not kelpie.may_guess(of_email_hmac, at) or newest.code_hmac <> given_code_hmac then
    return false;
  end if;
  update kelpie.wrong_guesses g set guesses = g.guesses - 1
  where g.email_hmac = of_email_hmac and g.on_day = (at at time zone 'utc')::date;
  update kelpie.payout_confirmations c set used_at = at where c.id = newest.id;
  return true;
end;
$$;
revoke all on function kelpie.confirm_payout(uuid, uuid, bytea, bytea, bytea, timestamptz) from public;
grant execute on function kelpie.confirm_payout(uuid, uuid, bytea, bytea, bytea, timestamptz) to kelpie_service;
alter function kelpie.confirm_payout(uuid, uuid, bytea, bytea, bytea, timestamptz) owner to kelpie_access;

-- What is over is swept: codes after a day, guesses after a week, sessions after a month; no more at once than is said.
create function kelpie.sweep_sign_ins(at timestamptz, at_most integer) returns bigint
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  swept bigint;
  more bigint;
begin
  delete from kelpie.sign_in_codes where id in (
    select c.id from kelpie.sign_in_codes c where c.created_at < at - interval '1 day' limit at_most
  );
  get diagnostics swept = row_count;
  delete from kelpie.wrong_guesses where (email_hmac, on_day) in (
    select g.email_hmac, g.on_day from kelpie.wrong_guesses g
    where g.on_day < (at at time zone 'utc')::date - 7 limit at_most
  );
  get diagnostics more = row_count;
  swept := swept + more;
  delete from kelpie.sessions where id in (
    select s.id from kelpie.sessions s where s.created_at < at - interval '30 days' limit at_most
  );
  get diagnostics more = row_count;
  return swept + more;
end;
$$;
revoke all on function kelpie.sweep_sign_ins(timestamptz, integer) from public;
grant execute on function kelpie.sweep_sign_ins(timestamptz, integer) to kelpie_service;
alter function kelpie.sweep_sign_ins(timestamptz, integer) owner to kelpie_access;

revoke create on schema kelpie from kelpie_access;

-- Who a session is of, for the person that has it. Whether there is a live side is not told by row security's own view: a
-- session is of no environment.
create function kelpie.show_session(of_partner uuid, of_environment kelpie.environment, of_session uuid)
  returns table (
    email text, name text, role text, created_at timestamptz, partner_name text, partner_slug text, partner_status text,
    has_live boolean
  )
  language plpgsql volatile
as $$
#variable_conflict use_column
begin
  perform kelpie.enter(of_partner, 'live');
  has_live := exists (select from kelpie.partner_environments e where e.partner_id = of_partner);
  perform kelpie.enter(of_partner, of_environment);
  return query
    select m.email, m.name, m.role, s.created_at, p.name, p.slug, p.status, has_live
    from kelpie.sessions s
    join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id
    join kelpie.partners p on p.id = s.partner_id
    where s.id = of_session;
end;
$$;

-- The people of a partner.
create function kelpie.list_members(of_partner uuid, of_environment kelpie.environment, at_most integer)
  returns table (email text, name text, role text, last_login_at timestamptz, created_at timestamptz)
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select m.email, m.name, m.role, m.last_login_at, m.created_at from kelpie.members m
    where m.partner_id = of_partner order by m.created_at, m.email limit at_most;
end;
$$;

-- The keys of a partner. Those that work come before the limit does: who makes and revokes keys by the hundred must not hide
-- one that still pays.
create or replace function kelpie.list_api_keys(
  of_partner uuid, of_environment kelpie.environment, revoked_after timestamptz, at_most integer
)
  returns table (
    id uuid, environment kelpie.environment, key_prefix text, label text, created_at timestamptz, last_used_at timestamptz,
    revoked_at timestamptz
  )
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select * from (
      select k.id, k.environment, k.key_prefix, k.label, k.created_at, k.last_used_at, k.revoked_at
      from kelpie.api_keys k
      where k.partner_id = of_partner and (k.revoked_at is null or k.revoked_at > revoked_after)
      order by k.revoked_at is null desc, k.id desc limit at_most
    ) listed
    order by listed.id desc;
end;
$$;

-- A partner in one of its environments, as it is told to the partner itself, with how its page looks.
drop function kelpie.show_account(uuid, kelpie.environment);
create function kelpie.show_account(of_partner uuid, of_environment kelpie.environment)
  returns table (
    name text, status text, rail kelpie.rail, fixed_pence bigint, basis_points bigint, monthly_pence bigint,
    billing_email text, contact_email text, verification_status text, verification_provider_status text,
    verification_continue_url text, verification_terms_url text, screening text, logo_url text, brand_color text
  )
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select p.name, p.status, e.rail, pp.fixed_pence, pp.basis_points, pp.monthly_pence, p.billing_email, p.contact_email,
      p.verification_status, p.verification_provider_status, p.verification_continue_url, p.verification_terms_url, p.screening,
      p.logo_url, p.brand_color
    from kelpie.partners p
    join kelpie.partner_environments e on e.partner_id = p.id
    join kelpie.price_plans pp on pp.id = e.price_plan
    where p.id = of_partner and e.environment = of_environment;
end;
$$;

create policy access_see on kelpie.partner_environments for select to kelpie_access using (true);
grant select (partner_id, environment) on kelpie.partner_environments to kelpie_access;

-- The first commit of a payout: the caller's key or session is checked, the idempotency key claimed, the payout and its hold
-- made, and what a crash would leave behind put where a worker finds it. Where the rail's answer is known at once, this
-- commit is the last one too. What it refuses, it refuses by an error that undoes the claim: KP402 for want of funds (the
-- detail says what there is), KP403 for a partner that is not active, KP409 where a person has to look first, KP502 for a
-- rail that is paused.
create or replace function kelpie.create_payout(
  of_partner uuid,
  of_environment kelpie.environment,
  api_key_id uuid,
  new_payout_id uuid,
  new_order_id uuid,
  new_key text,
  new_fingerprint bytea,
  at timestamptz,
  on_rail kelpie.rail,
  first_state kelpie.payout_state,
  new_reference text,
  new_bank_reference text,
  new_amount_pence bigint,
  new_fee_pence bigint,
  new_bank_share_pence bigint,
  new_wallet_sends_micro_usdc bigint,
  new_gbp_per_usd_millionths bigint,
  new_price_plan text,
  new_recipient_name text,
  new_account_last4 text,
  new_recipient_sealed bytea,
  new_account_index bytea,
  new_created_via text,
  new_created_by text,
  new_bank_payment_id text,
  new_bank_state text,
  new_bank_took_micro_usdc bigint,
  new_failure_code text,
  new_failure_reason text,
  new_leased_until timestamptz,
  new_due_at timestamptz,
  transfer_ids uuid[],
  lines smallint[],
  accounts kelpie.ledger_account[],
  amounts bigint[],
  reasons text[],
  activity_id uuid,
  activity_status integer
) returns table (
  outcome text, payout_id uuid, fingerprint bytea, bank_recipient_id text, bank_round integer, first_tried_at timestamptz
)
  language plpgsql volatile
as $$
#variable_conflict use_column
declare
  partner_status text;
  claim record;
  existing kelpie.payout_state;
  is_next_round boolean;
  refused record;
  size integer := cardinality(transfer_ids);
begin
  perform kelpie.enter(of_partner, of_environment);
  if new_created_via = 'api' then
    select p.status into partner_status
    from kelpie.api_keys k join kelpie.partners p on p.id = k.partner_id
    where k.id = api_key_id and k.environment = of_environment and k.revoked_at is null;
  else
    -- A person: still signed in, still a member, and still an admin.
    select p.status into partner_status
    from kelpie.sessions s
    join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id and m.role = 'admin'
    join kelpie.partners p on p.id = s.partner_id
    where s.id = api_key_id and s.revoked_at is null
      -- With real money only by way of kelpie.create_confirmed_payout.
      and (of_environment = 'sandbox' or current_setting('kelpie.confirmed_order', true) = new_order_id::text);
  end if;
  if not found then
    outcome := 'unauthorized';
    return next;
    return;
  end if;

  -- Whoever comes second with the same key waits here until the first has committed.
  insert into kelpie.idempotency_keys as k (order_id, partner_id, environment, key, payout_id, fingerprint, round_began_at)
  values (new_order_id, of_partner, of_environment, new_key, new_payout_id, new_fingerprint, at)
  on conflict (order_id) do nothing
  returning k.bank_round, k.round_began_at into claim;
  if not found then
    select k.payout_id, k.fingerprint, k.bank_round, k.round_began_at into strict claim
    from kelpie.idempotency_keys k where k.order_id = new_order_id for no key update;
    select p.state into strict existing from kelpie.payouts p where p.id = claim.payout_id;
    if existing <> 'not_created' or claim.fingerprint not in (new_fingerprint, '') then
      outcome := 'exists';
      payout_id := claim.payout_id;
      fingerprint := claim.fingerprint;
      return next;
      return;
    end if;
    -- Nothing was sent that time, so the same order may be tried again. The bank keeps a key for a day, and for one body:
    -- past that, or for another body, it has to be another one.
    is_next_round := claim.fingerprint = '' or claim.round_began_at < at - interval '23 hours';
    -- Under the old key the bank would only repeat itself. Under another it would pay again what a person believes paid.
    if is_next_round and exists (
      select from kelpie.cases c
      where c.payout_id = claim.payout_id and c.kind = 'paid_though_not_created' and c.closed_at is null
    ) then
      raise exception 'a person is looking at an earlier payment' using errcode = 'KP409';
    end if;
    update kelpie.idempotency_keys k
    set payout_id = new_payout_id,
      fingerprint = new_fingerprint,
      bank_round = k.bank_round + is_next_round::int,
      round_began_at = case when is_next_round then at else k.round_began_at end
    where k.order_id = new_order_id
    returning k.bank_round, k.round_began_at into claim;
  end if;

  if partner_status <> 'active' and not (partner_status = 'onboarding' and of_environment = 'sandbox') then
    raise exception 'the partner is not active' using errcode = 'KP403';
  end if;
  if exists (select from kelpie.rail_pauses r where r.rail = on_rail) then
    raise exception 'the rail is paused' using errcode = 'KP502';
  end if;

  insert into kelpie.payouts (
    id, partner_id, environment, rail, state, revision, attempts, idempotency_key, order_id, bank_round, first_tried_at,
    reference, bank_reference, amount_pence, fee_pence, bank_share_pence, wallet_sends_micro_usdc, gbp_per_usd_millionths,
    price_plan, recipient_name, account_last4, recipient_sealed, account_index, created_via, created_by, bank_payment_id,
    bank_state, bank_took_micro_usdc, failure_code, failure_reason, updated_at
  ) values (
    new_payout_id, of_partner, of_environment, on_rail, first_state, 1, 1, new_key, new_order_id, claim.bank_round,
    claim.round_began_at, new_reference, new_bank_reference, new_amount_pence, new_fee_pence, new_bank_share_pence,
    new_wallet_sends_micro_usdc, new_gbp_per_usd_millionths, new_price_plan, new_recipient_name, new_account_last4,
    new_recipient_sealed, new_account_index, new_created_via, new_created_by, new_bank_payment_id, new_bank_state,
    new_bank_took_micro_usdc, new_failure_code, new_failure_reason, at
  );
  insert into kelpie.payout_history (
    payout_id, number, partner_id, environment, at, state, what, by, attempt, bank_state, detail, transfer_ids
  ) values (
    new_payout_id, 1, of_partner, of_environment, at, first_state, 'created', new_created_by, 1, new_bank_state,
    new_failure_code, array(select distinct unnest(transfer_ids) order by 1)
  );
  if new_due_at is not null then
    insert into kelpie.open_payouts (payout_id, partner_id, environment, due_at, leased_until)
    values (new_payout_id, of_partner, of_environment, new_due_at, new_leased_until);
  end if;
  if activity_id is not null then
    insert into kelpie.activity (id, partner_id, environment, action, status, by, detail)
    values (activity_id, of_partner, of_environment, 'payout.create', activity_status, new_created_by, new_payout_id::text);
  end if;

  -- Last, since it locks the wallet: payouts that share one then wait for each other as briefly as can be.
  select t.wallet_balance into refused
  from kelpie.post_transfers(
    transfer_ids, lines, array_fill(of_partner, array[size]), array_fill(of_environment, array[size]), accounts, amounts,
    reasons, array_fill(new_payout_id, array[size])
  ) t
  where not t.posted limit 1;
  if found then
    raise exception 'the wallet does not cover it' using errcode = 'KP402', detail = refused.wallet_balance::text;
  end if;

  outcome := 'created';
  payout_id := new_payout_id;
  bank_round := claim.bank_round;
  first_tried_at := claim.round_began_at;
  bank_recipient_id := (
    select r.bank_recipient_id from kelpie.bank_recipients r
    where r.partner_id = of_partner and r.environment = of_environment and r.account_index = new_account_index
  );
  return next;
end;
$$;

-- Whether an order's key stands for a payout, or for another body. One of which certainly nothing was sent is free.
create function kelpie.is_bound_order(of_order uuid, of_fingerprint bytea) returns boolean
  language plpgsql volatile
as $$
begin
  return exists (
    select from kelpie.idempotency_keys k join kelpie.payouts p on p.id = k.payout_id
    where k.order_id = of_order and (p.state <> 'not_created' or k.fingerprint not in (of_fingerprint, ''))
  );
end;
$$;

-- The same for a person who pays with real money: the code that was mailed for this order is used up by the commit that makes
-- the payout, and by no other. What undoes that commit, as want of funds does, leaves the code as it was; a wrong code is
-- counted and makes nothing.
create function kelpie.create_confirmed_payout(
  order_hmac bytea,
  email_hmac bytea,
  code_hmac bytea,
  of_partner uuid,
  of_environment kelpie.environment,
  api_key_id uuid,
  new_payout_id uuid,
  new_order_id uuid,
  new_key text,
  new_fingerprint bytea,
  at timestamptz,
  on_rail kelpie.rail,
  first_state kelpie.payout_state,
  new_reference text,
  new_bank_reference text,
  new_amount_pence bigint,
  new_fee_pence bigint,
  new_bank_share_pence bigint,
  new_wallet_sends_micro_usdc bigint,
  new_gbp_per_usd_millionths bigint,
  new_price_plan text,
  new_recipient_name text,
  new_account_last4 text,
  new_recipient_sealed bytea,
  new_account_index bytea,
  new_created_via text,
  new_created_by text,
  new_bank_payment_id text,
  new_bank_state text,
  new_bank_took_micro_usdc bigint,
  new_failure_code text,
  new_failure_reason text,
  new_leased_until timestamptz,
  new_due_at timestamptz,
  transfer_ids uuid[],
  lines smallint[],
  accounts kelpie.ledger_account[],
  amounts bigint[],
  reasons text[],
  activity_id uuid,
  activity_status integer
) returns table (
  outcome text, payout_id uuid, fingerprint bytea, bank_recipient_id text, bank_round integer, first_tried_at timestamptz
)
  language plpgsql volatile
as $$
#variable_conflict use_column
declare
  said text;
begin
  perform kelpie.enter(of_partner, of_environment);
  -- A key that stands for a payout is answered with that one, whatever the code.
  if kelpie.is_bound_order(new_order_id, new_fingerprint) then
    outcome := 'exists';
    return next;
    return;
  end if;
  if not kelpie.confirm_payout(of_partner, api_key_id, order_hmac, email_hmac, code_hmac, at) then
    -- A double click: the other one has used the code while this one waited for it.
    outcome := case when kelpie.is_bound_order(new_order_id, new_fingerprint) then 'exists' else 'not_confirmed' end;
    return next;
    return;
  end if;
  said := set_config('kelpie.confirmed_order', new_order_id::text, true);
  return query
    select * from kelpie.create_payout(
      of_partner, of_environment, api_key_id, new_payout_id, new_order_id, new_key, new_fingerprint, at, on_rail,
      first_state, new_reference, new_bank_reference, new_amount_pence, new_fee_pence, new_bank_share_pence,
      new_wallet_sends_micro_usdc, new_gbp_per_usd_millionths, new_price_plan, new_recipient_name, new_account_last4,
      new_recipient_sealed, new_account_index, new_created_via, new_created_by, new_bank_payment_id, new_bank_state,
      new_bank_took_micro_usdc, new_failure_code, new_failure_reason, new_leased_until, new_due_at, transfer_ids, lines,
      accounts, amounts, reasons, activity_id, activity_status
    );
end;
$$;
