-- Passkeys of members (docs/access.md): a second factor at sign-in and for acts, and an account's rule that requires one.

-- Whether every member needs one. Only through the API, confirmed by a passkey.
alter table kelpie.partners add column require_passkeys boolean not null default false;
grant update (require_passkeys) on kelpie.partners to kelpie_service;
grant select (require_passkeys) on kelpie.partners to kelpie_access;

-- When two operators last removed all passkeys of the member. Where passkeys are required, a first one can be added for 72
-- hours from then, or from when the member was added.
alter table kelpie.members add column passkeys_reset_at timestamptz;
grant update (passkeys_reset_at) on kelpie.members to kelpie_access;

-- When the session's person last used a passkey in it. Without, a session of a person who needs one is found by nothing.
alter table kelpie.sessions add column passkey_at timestamptz;
grant select (passkey_at) on kelpie.sessions to kelpie_reader;

-- When a passkey proved it. Who needs one is confirmed by no code alone.
alter table kelpie.payout_confirmations add column proven_at timestamptz;
grant select (proven_at) on kelpie.payout_confirmations to kelpie_reader;

create table kelpie.passkeys (
  id uuid primary key,
  partner_id uuid not null,
  email text not null,
  name text not null check (char_length(name) between 1 and 60),
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  -- COSE, as the authenticator gave it.
  public_key bytea not null check (octet_length(public_key) between 1 and 2048),
  -- Of signatures, as far as the authenticator counts them. It never falls.
  counter bigint not null check (counter between 0 and 4294967295),
  transports text[] not null check (cardinality(transports) <= 8 and array_position(transports, null) is null),
  created_at timestamptz not null,
  last_used_at timestamptz,
  foreign key (partner_id, email) references kelpie.members (partner_id, email) on delete cascade
);
comment on table kelpie.passkeys is '@bounded @both-environments At most ten rows per member, deleted with the member.';
create index passkeys_of_member on kelpie.passkeys (partner_id, email);
select kelpie.protect_partner_table('passkeys', scope => 'partner');
create policy access_all on kelpie.passkeys to kelpie_access using (true) with check (true);
-- Added through kelpie.add_passkey, used through kelpie.use_passkey.
grant select, delete, update (name) on kelpie.passkeys to kelpie_service;
grant select (id, partner_id, email, name, created_at, last_used_at) on kelpie.passkeys to kelpie_reader;
grant select, insert, delete, update (counter, last_used_at) on kelpie.passkeys to kelpie_access;

-- What an authenticator signs: once, within five minutes, in one session and for one purpose.
create table kelpie.passkey_challenges (
  challenge bytea primary key check (octet_length(challenge) = 32),
  partner_id uuid not null,
  session_id uuid not null,
  purpose text not null check (purpose in ('sign_in', 'add', 'confirm')),
  -- What it confirms: a row of payout_confirmations of the same session.
  confirmation_id uuid,
  created_at timestamptz not null,
  foreign key (session_id, partner_id) references kelpie.sessions (id, partner_id) on delete cascade,
  constraint passkey_challenges_of_act check ((purpose = 'confirm') = (confirmation_id is not null))
);
comment on table kelpie.passkey_challenges is
  '@bounded @both-environments At most ten rows per session; deleted when used, and with the session.';
create index passkey_challenges_of_session on kelpie.passkey_challenges (session_id, created_at);
create index passkey_challenges_of_partner on kelpie.passkey_challenges (partner_id);
select kelpie.protect_partner_table('passkey_challenges', scope => 'partner', service_may => 'select');
create policy access_all on kelpie.passkey_challenges to kelpie_access using (true) with check (true);
-- Only through kelpie.add_passkey_challenge, kelpie.add_passkey and kelpie.use_passkey.
grant select on kelpie.passkey_challenges to kelpie_service;
grant select (session_id, partner_id, purpose, created_at) on kelpie.passkey_challenges to kelpie_reader;
grant select, insert, delete on kelpie.passkey_challenges to kelpie_access;
