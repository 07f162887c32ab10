-- API keys, people and how they sign in. Secrets, codes and tokens are never stored; what is stored are keyed digests,
-- made with a pepper that the database does not have.

create table kelpie.api_keys (
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  -- The start of the secret, by which people tell their keys apart.
  key_prefix text not null check (key_prefix ~ '^kp_(sandbox|live)_[a-f0-9]{8}$'),
  label text check (char_length(label) between 1 and 60),
  secret_hmac bytea not null unique check (octet_length(secret_hmac) = 32),
  created_at timestamptz not null,
  revoked_at timestamptz,
  -- To the minute: a write per request would cost more than the request.
  last_used_at timestamptz,
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.api_keys is '@bounded @both-environments A few rows per partner: people create and revoke them by hand.';
create index api_keys_of_partner on kelpie.api_keys (partner_id);
select kelpie.protect_partner_table('api_keys', scope => 'partner');
create policy access_see on kelpie.api_keys for select to kelpie_access using (true);
create policy access_touch on kelpie.api_keys for update to kelpie_access using (true) with check (true);
create policy payouts_see on kelpie.api_keys for select to kelpie_payouts using (true);
grant select, insert, update (revoked_at) on kelpie.api_keys to kelpie_service;
-- Reports have no use for the digest.
grant select (id, partner_id, environment, key_prefix, label, created_at, revoked_at, last_used_at) on kelpie.api_keys to kelpie_reader;
grant select, update (last_used_at) on kelpie.api_keys to kelpie_access;
grant select (id, partner_id, environment, revoked_at) on kelpie.api_keys to kelpie_payouts;

-- The people of a partner. A person can be a member of several partners; a session is for one of them.
create table kelpie.members (
  partner_id uuid not null references kelpie.partners (id),
  email text not null check (email = lower(email) and email ~ '^[^\s@]+@[^\s@]+$' and char_length(email) <= 254),
  name text check (char_length(name) between 1 and 120),
  role text not null check (role in ('admin', 'viewer')),
  invited_by text,
  created_at timestamptz not null,
  last_login_at timestamptz,
  primary key (partner_id, email)
);
comment on table kelpie.members is '@bounded @both-environments At most 200 rows per partner.';
create index members_by_email on kelpie.members (email);
select kelpie.protect_partner_table('members', scope => 'partner');
create policy access_all on kelpie.members to kelpie_access using (true) with check (true);
create policy payouts_see on kelpie.members for select to kelpie_payouts using (true);
grant select, insert, delete, update (role, name) on kelpie.members to kelpie_service;
grant select on kelpie.members to kelpie_reader;
grant select, update (last_login_at) on kelpie.members to kelpie_access;
grant select (partner_id, email, role) on kelpie.members to kelpie_payouts;

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
comment on table kelpie.sessions is '@bounded @both-environments A few rows per person; a job deletes them after a month.';
create index sessions_of_person on kelpie.sessions (email);
create index sessions_of_partner on kelpie.sessions (partner_id);
select kelpie.protect_partner_table('sessions', scope => 'partner');
create policy access_all on kelpie.sessions to kelpie_access using (true) with check (true);
create policy payouts_see on kelpie.sessions for select to kelpie_payouts using (true);
grant select, update (revoked_at) on kelpie.sessions to kelpie_service;
grant select (id, partner_id, email, created_at, last_seen_at, revoked_at) on kelpie.sessions to kelpie_reader;
grant select, insert, update, delete on kelpie.sessions to kelpie_access;
grant select (id, partner_id, email, revoked_at) on kelpie.sessions to kelpie_payouts;

-- Emailed sign-in codes, by a digest of the address: anyone may request one for any address.
create table kelpie.sign_in_codes (
  id uuid primary key,
  email_hmac bytea not null check (octet_length(email_hmac) = 32),
  code_hmac bytea not null check (octet_length(code_hmac) = 32),
  -- The address and the code, encrypted, until the email is written.
  mail_encrypted bytea,
  -- The business that a sign-up code creates when it is used: its slug, and the rest encrypted. Nothing is created
  -- before that, because anyone can type any address.
  sign_up_slug text check (sign_up_slug ~ '^[a-z0-9-]{2,40}$'),
  sign_up_encrypted bytea,
  created_at timestamptz not null,
  tries integer not null default 0, -- squawk-ignore prefer-bigint-over-int
  used_at timestamptz,
  check ((sign_up_slug is null) = (sign_up_encrypted is null))
);
comment on table kelpie.sign_in_codes is '@bounded @shared Codes of the last day; a job deletes older ones.';
create index sign_in_codes_of_address on kelpie.sign_in_codes (email_hmac, id);
create index sign_in_codes_to_mail on kelpie.sign_in_codes (id) where mail_encrypted is not null;
grant select, insert, update, delete on kelpie.sign_in_codes to kelpie_access;

-- Wrong codes per address and day. Signing in and confirming a payout count under two digests of the address: anyone can
-- guess at a sign-in, and that must not keep a signed-in person from paying.
create table kelpie.wrong_guesses (
  email_hmac bytea not null check (octet_length(email_hmac) = 32),
  on_day date not null,
  guesses integer not null, -- squawk-ignore prefer-bigint-over-int
  primary key (email_hmac, on_day)
);
comment on table kelpie.wrong_guesses is '@bounded @shared One row per address and day; a job deletes them after some days.';
grant select, insert, update, delete on kelpie.wrong_guesses to kelpie_access;

-- Emailed codes for one live payout of one person: the newest confirms that order and no other.
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
comment on table kelpie.payout_confirmations is '@bounded @both-environments At most five rows per hour and person, deleted with the session.';
create index payout_confirmations_of_order on kelpie.payout_confirmations (session_id, order_hmac);
create index payout_confirmations_of_person on kelpie.payout_confirmations (email_hmac, created_at);
create index payout_confirmations_of_partner on kelpie.payout_confirmations (partner_id);
select kelpie.protect_partner_table('payout_confirmations', scope => 'partner');
create policy access_all on kelpie.payout_confirmations to kelpie_access using (true) with check (true);
grant select on kelpie.payout_confirmations to kelpie_service;
grant select (id, session_id, partner_id, created_at, tries, used_at) on kelpie.payout_confirmations to kelpie_reader;
grant select, insert, update on kelpie.payout_confirmations to kelpie_access;
