-- What was done to an account's access, where people are signed in, and which browsers they signed in from before.
-- Of an address only the network is stored (/24 or /64), of a browser only its family.

-- Written by the commit of the act. Requests can't displace them: they are listed apart from activity.
create table kelpie.security_events (
  -- The id of the request.
  id uuid primary key,
  partner_id uuid not null references kelpie.partners (id),
  -- Null where it is about the whole account.
  environment kelpie.environment,
  action text not null check (action ~ '^[a-z_]+\.[a-z_]+$' and octet_length(action) <= 60),
  status integer not null, -- squawk-ignore prefer-bigint-over-int
  by text not null,
  detail text,
  network cidr check (masklen(network) = case family(network) when 4 then 24 else 64 end),
  browser text check (octet_length(browser) <= 60)
) partition by range (id);
comment on table kelpie.security_events is '@grows @both-environments One row per change of access, sign-in and refused sign-in.';
create index security_events_of_partner on kelpie.security_events (partner_id, id);
select kelpie.protect_partner_table('security_events', scope => 'partner');
select kelpie.make_insert_only('security_events');
create policy access_add on kelpie.security_events for insert to kelpie_access with check (true);
create policy payouts_add on kelpie.security_events for insert to kelpie_payouts with check (true);
grant select, insert on kelpie.security_events to kelpie_service;
grant select on kelpie.security_events to kelpie_reader;
grant insert on kelpie.security_events to kelpie_access, kelpie_payouts;

-- Where a session was opened. Null for one that was opened before this was recorded.
alter table kelpie.sessions
  -- The table has no release behind it, so both are checked at once.
  -- squawk-ignore constraint-missing-not-valid
  add column network cidr check (masklen(network) = case family(network) when 4 then 24 else 64 end),
  -- squawk-ignore constraint-missing-not-valid
  add column browser text check (octet_length(browser) <= 60);
grant select (network, browser) on kelpie.sessions to kelpie_reader;

-- A browser that an address has signed in from, by digests of the address and of the browser's cookie. It has codes and
-- guesses of its own: strangers share those of the address, and could use them up.
create table kelpie.browsers (
  id uuid primary key,
  email_hmac bytea not null check (octet_length(email_hmac) = 32),
  token_hmac bytea not null check (octet_length(token_hmac) = 32),
  created_at timestamptz not null,
  -- When the address last signed in from it.
  last_used_at timestamptz not null,
  -- Wrong codes, on the day of the last one.
  guessed_on date,
  guesses integer not null default 0, -- squawk-ignore prefer-bigint-over-int
  unique (email_hmac, token_hmac)
);
comment on table kelpie.browsers is '@bounded @shared At most ten rows per address; a job deletes a browser that was not used for 400 days.';
create index browsers_of_token on kelpie.browsers (token_hmac);
grant select, insert, update, delete on kelpie.browsers to kelpie_access;

-- The browser that asked for the code; null for one that the address has not signed in from before.
alter table kelpie.sign_in_codes add column browser_id uuid;

-- A session to be opened, and the browser that it is for.
create type kelpie.new_session as (
  id uuid,
  token_hmac bytea,
  -- Of the session that the browser had until now; null for none.
  old_token_hmac bytea,
  request_id uuid,
  network cidr,
  browser text,
  -- Of the cookie that the browser sent; null for none. The next two are for a browser that gets a new one.
  browser_hmac bytea,
  new_browser_id uuid,
  new_browser_hmac bytea
);
