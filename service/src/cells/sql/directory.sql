-- The directory: which cell a partner lives in, and how a request says whose it is. A database of its own; it holds no money,
-- no secret and no personal data. Applied once by a superuser.

do $roles$
begin
  if not exists (select from pg_roles where rolname = 'kelpie_mover') then
    create role kelpie_mover login noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'kelpie_router') then
    create role kelpie_router login noinherit;
  end if;
end;
$roles$;

create schema directory;
grant usage on schema directory to kelpie_mover, kelpie_router;

create table directory.cells (
  name text primary key check (name ~ '^[a-z0-9-]{1,20}$'),
  -- Where its api is reached.
  url text not null
);

-- Raised by each change that routers have to know.
create table directory.version (
  only_row boolean primary key default true check (only_row),
  number bigint not null
);
insert into directory.version (number) values (1);

create table directory.partners (
  partner_id uuid primary key,
  slug text not null unique,
  cell text not null references directory.cells (name),
  -- While a move holds it, routers pass on nothing of this partner.
  held_by uuid,
  version bigint not null
);
create index partners_by_version on directory.partners (version);

-- A prefix belongs to one partner in all cells.
create table directory.keys (
  prefix text primary key,
  partner_id uuid not null references directory.partners (partner_id)
);

-- By the digest that the cell keeps of the cookie.
create table directory.sessions (
  token_hmac bytea primary key,
  partner_id uuid not null references directory.partners (partner_id)
);

-- Up to which version each router has done what follows from it: what it held back, and what it had passed on before.
create table directory.routers (
  id uuid primary key,
  seen_version bigint not null,
  seen_at timestamptz not null
);

create table directory.moves (
  id uuid primary key,
  partner_id uuid not null references directory.partners (partner_id),
  from_cell text not null references directory.cells (name),
  to_cell text not null references directory.cells (name) check (to_cell <> from_cell),
  -- What is done next. docs/cells.md says what each does. Past 'switch' a move only goes forward.
  step text not null check (step in (
    'prepare', 'copy', 'compare', 'hold', 'freeze', 'catch_up', 'verify', 'switch', 'close', 'thaw', 'release', 'done', 'abort',
    'aborted'
  )),
  -- How often a mover has begun or resumed it.
  attempt bigint not null default 0,
  -- Where copying goes on.
  position jsonb,
  began_at timestamptz not null default clock_timestamp(),
  held_at timestamptz,
  released_at timestamptz
);
-- A partner is moved once at a time.
create unique index moves_open on directory.moves (partner_id) where step not in ('done', 'aborted');

grant select on all tables in schema directory to kelpie_router, kelpie_mover;
grant insert, update, delete on directory.routers to kelpie_router;
grant insert, update, delete on all tables in schema directory to kelpie_mover;
