-- Who is calling: API keys. A secret is shown once and never kept; what is kept is its HMAC under a pepper that the
-- database does not have.

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
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.api_keys is '@bounded @both-environments A few rows a partner: people make and revoke them by hand.';
alter table kelpie.api_keys enable row level security, force row level security;
create policy service_own on kelpie.api_keys to kelpie_service
  using (partner_id = kelpie.current_partner()) with check (partner_id = kelpie.current_partner());
create policy reader_all on kelpie.api_keys for select to kelpie_reader using (true);
create policy access_see on kelpie.api_keys for select to kelpie_access using (true);
grant select, insert on kelpie.api_keys to kelpie_service;
grant update (revoked_at) on kelpie.api_keys to kelpie_service;
-- The digest is of no use to whoever reads reports.
grant select (id, partner_id, environment, key_prefix, label, created_at, revoked_at) on kelpie.api_keys to kelpie_reader;
grant select on kelpie.api_keys to kelpie_access;

grant usage on schema kelpie to kelpie_access;
grant create on schema kelpie to kelpie_access;

-- Whose key has this digest. It is asked before anybody knows whose rows to look at, so it looks past row security, and
-- answers with one key or none.
create function kelpie.find_api_key(of_secret_hmac bytea)
  returns table (id uuid, partner_id uuid, environment kelpie.environment, key_prefix text, secret_hmac bytea)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select k.id, k.partner_id, k.environment, k.key_prefix, k.secret_hmac
  from kelpie.api_keys k
  where k.secret_hmac = of_secret_hmac and k.revoked_at is null
$$;
revoke all on function kelpie.find_api_key(bytea) from public;
grant execute on function kelpie.find_api_key(bytea) to kelpie_service;
alter function kelpie.find_api_key(bytea) owner to kelpie_access;

revoke create on schema kelpie from kelpie_access;
