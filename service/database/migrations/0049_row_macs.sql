-- MACs of rows that decide who may pay (docs/decisions/0057). Our processes make and check them: the database has no key of
-- theirs. A row without one is refused: it was written past us, or revoked.

-- Over the id, the partner and the environment, both secrets' digests and prefixes, and what the key may do.
-- The tables have no release behind them, so the checks are made at once.
-- squawk-ignore constraint-missing-not-valid
alter table kelpie.api_keys add column mac bytea check (octet_length(mac) = 33);
-- Over the partner, the address and the role.
-- squawk-ignore constraint-missing-not-valid
alter table kelpie.members add column mac bytea check (octet_length(mac) = 33);
-- Over the id, the partner, the address, the digest of the token and the instant of its beginning.
-- squawk-ignore constraint-missing-not-valid
alter table kelpie.sessions add column mac bytea check (octet_length(mac) = 33);

grant update (mac) on kelpie.api_keys to kelpie_service, kelpie_access;
grant update (mac) on kelpie.members to kelpie_service;

-- They return what the MACs are over.
drop function if exists kelpie.identify_api_key(bytea, timestamptz);
drop function if exists kelpie.find_session(bytea, timestamptz);
drop function if exists kelpie.redigest_secrets(bytea[], bytea[], integer);
