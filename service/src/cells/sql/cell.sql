-- What a database needs to be a cell, besides the schema of every installation: the rule that closes a partner, and the
-- functions by which a partner is copied. Applied once by a superuser, after `kelpie-admin migrate`; again after a migration
-- that adds a table.

do $roles$
begin
  -- Nobody connects as it. It owns the functions below, and sees the rows of the partner that is being moved.
  if not exists (select from pg_roles where rolname = 'kelpie_moves') then
    create role kelpie_moves nologin noinherit;
  end if;
  -- The mover connects as it. It may call these functions and read no table.
  if not exists (select from pg_roles where rolname = 'kelpie_mover') then
    create role kelpie_mover login noinherit;
  end if;
end;
$roles$;
-- Copied rows have passed their triggers in the cell that they come from: a payout arrives in the state that it has.
grant set on parameter session_replication_role to kelpie_moves;

create schema if not exists cells;
grant usage on schema cells to public;
grant usage on schema kelpie to kelpie_moves;

-- A partner in this table does not exist for the service: no role of it sees or writes any of its rows.
create table if not exists cells.closed_partners (
  partner_id uuid primary key,
  -- 'leaving' is the freeze, 'gone' what stays behind, 'arriving' a copy that is not whole yet.
  state text not null check (state in ('leaving', 'gone', 'arriving')),
  move_id uuid not null,
  -- Which start of the mover this is. One that was replaced by a later one writes nothing any more.
  attempt bigint not null
);
grant select on cells.closed_partners to
  kelpie_service, kelpie_reader, kelpie_operator, kelpie_ledger, kelpie_access, kelpie_payouts, kelpie_moves;
grant insert, update, delete on cells.closed_partners to kelpie_moves;

-- Moves that have opened their partner here: whatever arrives of one later closes nothing.
create table if not exists cells.ended_moves (
  move_id uuid primary key
);
grant select, insert on cells.ended_moves to kelpie_moves;

-- Every table with rows of partners, and how it is copied.
create or replace view cells.partner_tables as
  select c.oid, c.relname as name,
    case c.relname when 'partners' then 'id' else 'partner_id' end as partner_column,
    keys.columns as key_columns,
    -- A number that the database gives, and nothing else names: the copy gets numbers of its own, in the same order.
    case when cardinality(keys.columns) = 1 and numbers.name = keys.columns[1] then numbers.name end as renumbered,
    numbers.name as number_column,
    -- Rows of these are added and changed, and hardly ever deleted. All others are copied whole, in the freeze.
    obj_description(c.oid, 'pg_class') ~ '@grows\M' as is_incremental
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'kelpie'
  cross join lateral (
    select array_agg(a.attname::text order by k.place) as columns
    from pg_index i
    cross join unnest(i.indkey) with ordinality as k (attnum, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where i.indrelid = c.oid and i.indisprimary
  ) keys
  left join lateral (
    select a.attname::text as name from pg_attribute a
    where a.attrelid = c.oid and a.attidentity <> '' and not a.attisdropped
  ) numbers on true
  where c.relkind in ('r', 'p') and not c.relispartition and (
    c.relname = 'partners' or exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'partner_id' and not a.attisdropped
    )
  );
grant select on cells.partner_tables to kelpie_moves, kelpie_mover;

-- The partner that this transaction moves.
create or replace function cells.moving_partner() returns uuid
  language sql stable
  return nullif(current_setting('cells.moving_partner', true), '')::uuid;

do $policies$
declare
  of_table record;
begin
  for of_table in select * from cells.partner_tables loop
    execute format('drop policy if exists cells_closed on kelpie.%I', of_table.name);
    execute format('drop policy if exists cells_arriving on kelpie.%I', of_table.name);
    execute format('drop policy if exists cells_moves on kelpie.%I', of_table.name);
    -- The subselect is read once for each statement, not for each row.
    execute format(
      'create policy cells_closed on kelpie.%I as restrictive
         to kelpie_service, kelpie_operator, kelpie_ledger, kelpie_access, kelpie_payouts
         using (%2$I is null or %2$I <> all (array(select c.partner_id from cells.closed_partners c)))',
      of_table.name, of_table.partner_column
    );
    -- What stays behind explains the days that were closed over it. What is still being copied explains nothing.
    execute format(
      'create policy cells_arriving on kelpie.%I as restrictive for select to kelpie_reader
         using (%2$I is null
           or %2$I <> all (array(select c.partner_id from cells.closed_partners c where c.state = ''arriving'')))',
      of_table.name, of_table.partner_column
    );
    execute format(
      'create policy cells_moves on kelpie.%I to kelpie_moves
         using (%2$I = (select cells.moving_partner())) with check (%2$I = (select cells.moving_partner()))',
      of_table.name, of_table.partner_column
    );
    execute format('grant select, insert, update, delete on kelpie.%I to kelpie_moves', of_table.name);
    if of_table.number_column is not null then
      execute format(
        'grant usage, select, update on sequence %s to kelpie_moves',
        pg_get_serial_sequence(format('kelpie.%I', of_table.name), of_table.number_column)
      );
    end if;
  end loop;
end;
$policies$;
grant select, insert on kelpie.reconciliations, kelpie.price_plans to kelpie_moves;
grant select on kelpie.closed_days, kelpie.proposals to kelpie_moves;
grant execute on function kelpie.instant_of(uuid) to kelpie_moves;

-- The columns of a table that are copied, in order.
create or replace function cells.columns_of(of_table text) returns text[]
  language sql stable
as $$
  select array_agg(a.attname::text order by a.attname)
  from cells.partner_tables t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where t.name = of_table and a.attname::text is distinct from t.renumbered
$$;

-- The tables and columns of this cell, as one text: a partner moves between cells of one schema only.
create or replace function cells.shape() returns text
  language sql stable
as $$
  select string_agg(format('%s(%s)', t.name, array_to_string(cells.columns_of(t.name), ',')), ' ' order by t.name)
  from cells.partner_tables t
$$;

-- A page of a partner's rows by their key, as JSON, after the key of the page before. With `since`, only those that were
-- added or changed by a transaction that was not over then.
create or replace function cells.read_rows(of_table text, partner uuid, since xid8, after jsonb, at_most integer)
  returns table (rows text, last_key text, read_rows integer)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set timezone = 'UTC'
  -- A page is found by its key. A plan made while a table was small would read and sort all of it for each page.
  set enable_seqscan = off
  set enable_bitmapscan = off
as $$
declare
  found record;
  keys text;
  page_after text := '';
begin
  perform set_config('cells.moving_partner', partner::text, true);
  select t.*, t.key_columns as columns into strict found from cells.partner_tables t where t.name = of_table;
  select string_agg(format('t.%I', k), ', ' order by place) into keys
  from unnest(found.columns) with ordinality as k (k, place);
  if after is not null then
    select format(
      'and (%s) > (%s)', keys,
      string_agg(format('($2 ->> %L)::%s', k, format_type(a.atttypid, a.atttypmod)), ', ' order by place)
    ) into page_after
    from unnest(found.columns) with ordinality as k (k, place)
    join pg_attribute a on a.attrelid = found.oid and a.attname = k;
  end if;
  return query execute format(
    'with page as materialized (
       select t.* from kelpie.%I t
       where t.%I = $1 %s %s
       order by %s limit $4
     )
     select jsonb_agg(to_jsonb(p) order by %s)::text,
       (array_agg(jsonb_build_object(%s) order by %s))[count(*)]::text, count(*)::integer
     from page p',
    of_table, found.partner_column, page_after,
    case when since is null then '' else 'and age(t.xmin) <= age($3)' end,
    keys, replace(keys, 't.', 'p.'),
    (select string_agg(format('%L, p.%I', k, k), ', ') from unnest(found.columns) as k),
    replace(keys, 't.', 'p.')
  ) using partner, after, since::xid, at_most;
end;
$$;

-- Writes rows of a partner that is arriving, in place of those with the same key.
create or replace function cells.write_rows(of_table text, partner uuid, of_attempt bigint, rows jsonb) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set timezone = 'UTC'
  set session_replication_role = replica
as $$
declare
  of_columns text[] := cells.columns_of(of_table);
  found record;
begin
  perform cells.require_arriving(partner, of_attempt);
  select t.* into strict found from cells.partner_tables t where t.name = of_table;
  execute format(
    'insert into kelpie.%I (%s) overriding system value select %s from jsonb_populate_recordset(null::kelpie.%I, $1) r
     order by %s %s',
    of_table,
    (select string_agg(format('%I', c), ', ') from unnest(of_columns) c),
    (select string_agg(format('r.%I', c), ', ') from unnest(of_columns) c),
    of_table,
    (select string_agg(format('r.%I', k), ', ' order by place) from unnest(found.key_columns) with ordinality as k (k, place)),
    case when found.renumbered is null then format(
      'on conflict (%s) do %s',
      (select string_agg(format('%I', k), ', ') from unnest(found.key_columns) k),
      coalesce('update set ' || (
        select string_agg(format('%I = excluded.%I', c, c), ', ') from unnest(of_columns) c where c <> all (found.key_columns)
      ), 'nothing')
    ) else '' end
  ) using rows;
  if found.number_column is not null and found.renumbered is null then
    -- What is added here later comes after what was brought along.
    execute format(
      'select setval(%L, greatest((select max(t.%I) from kelpie.%I t), (select last_value from %s)))',
      pg_get_serial_sequence(format('kelpie.%I', of_table), found.number_column), found.number_column, of_table,
      pg_get_serial_sequence(format('kelpie.%I', of_table), found.number_column)
    );
  end if;
end;
$$;

-- Locks the partner's row: a mover that was replaced waits for nothing and writes nothing.
create or replace function cells.require_arriving(partner uuid, of_attempt bigint) returns void
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform from cells.closed_partners c
  where c.partner_id = partner and c.state = 'arriving' and c.attempt = of_attempt
  for share;
  if not found then
    raise exception 'the partner is not arriving here by this mover' using errcode = 'KP460';
  end if;
  perform set_config('cells.moving_partner', partner::text, true);
end;
$$;

-- Deletes what has arrived: of one table, or of all at the end of an abort.
create or replace function cells.delete_rows(of_table text, partner uuid, of_attempt bigint) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set session_replication_role = replica
as $$
declare
  of_column text;
begin
  perform cells.require_arriving(partner, of_attempt);
  select t.partner_column into strict of_column from cells.partner_tables t where t.name = of_table;
  execute format('delete from kelpie.%I t where t.%I = $1', of_table, of_column) using partner;
end;
$$;

-- The hash of a row `t` of a table, as SQL. An enum is hashed as text: its own hash is of a number that each database gives it.
create or replace function cells.hash_of(of_table text) returns text
  language sql stable
as $$
  select format('hash_record_extended(row(%s), 0)', string_agg(
    format(case y.typtype when 'e' then 't.%I::text' else 't.%I' end, c), ', ' order by place
  ))
  from unnest(cells.columns_of(of_table)) with ordinality as c (c, place)
  join cells.partner_tables t on t.name = of_table
  join pg_attribute a on a.attrelid = t.oid and a.attname = c
  join pg_type y on y.oid = a.atttypid
$$;

-- What a partner has in a table: how many rows, and the sum of their hashes, which no order changes.
create or replace function cells.digest_rows(of_table text, partner uuid) returns table (rows bigint, digest numeric)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  found record;
begin
  perform set_config('cells.moving_partner', partner::text, true);
  select t.partner_column into strict found from cells.partner_tables t where t.name = of_table;
  return query execute format(
    'select count(*), coalesce(sum(%s), 0) from kelpie.%I t where t.%I = $1',
    cells.hash_of(of_table), of_table, found.partner_column
  ) using partner;
end;
$$;

-- The same of either half of the rows: those that a transaction has added or changed that was not over at `since`, or all others.
-- Besides, the keys of those that have changed, and how many rows there are in all.
create or replace function cells.digest_by_change(of_table text, partner uuid, since xid8, of_changed boolean)
  returns table (all_rows bigint, rows bigint, digest numeric, changed_keys text)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set timezone = 'UTC'
as $$
declare
  found record;
begin
  perform set_config('cells.moving_partner', partner::text, true);
  select t.* into strict found from cells.partner_tables t where t.name = of_table;
  return query execute format(
    'select count(*), count(*) filter (where (age(t.xmin) <= age($2)) = $3),
       coalesce(sum(%s) filter (where (age(t.xmin) <= age($2)) = $3), 0),
       coalesce(jsonb_agg(jsonb_build_object(%s)) filter (where age(t.xmin) <= age($2)), ''[]'')::text
     from kelpie.%I t where t.%I = $1',
    cells.hash_of(of_table),
    (select string_agg(format('%L, t.%I', k, k), ', ') from unnest(found.key_columns) k),
    of_table, found.partner_column
  ) using partner, since::xid, of_changed;
end;
$$;

-- The same in the cell that they were copied to, where the keys say which have changed.
create or replace function cells.digest_by_keys(of_table text, partner uuid, changed_keys jsonb, of_changed boolean)
  returns table (all_rows bigint, rows bigint, digest numeric)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set timezone = 'UTC'
as $$
declare
  found record;
begin
  perform set_config('cells.moving_partner', partner::text, true);
  select t.* into strict found from cells.partner_tables t where t.name = of_table;
  return query execute format(
    'select count(*), count(*) filter (where (c.is_changed is not null) = $3),
       coalesce(sum(%s) filter (where (c.is_changed is not null) = $3), 0)
     from kelpie.%I t
     left join (
       select %s, true as is_changed from jsonb_populate_recordset(null::kelpie.%I, $2) r
     ) c on (%s)
     where t.%I = $1',
    cells.hash_of(of_table), of_table,
    (select string_agg(format('r.%I', k), ', ') from unnest(found.key_columns) k),
    of_table,
    (select string_agg(format('c.%I = t.%I', k, k), ' and ') from unnest(found.key_columns) k),
    found.partner_column
  ) using partner, changed_keys, of_changed;
end;
$$;

-- What must hold of a partner's rows by themselves: whole chains of its wallets, and events without a gap up to their counter.
-- Sentences; none if all is right.
create or replace function cells.judge_rows(partner uuid) returns setof text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('cells.moving_partner', partner::text, true);
  return query
    select format('the wallet of %s holds %s as version %s, and its %s entries say otherwise', w.environment,
      w.balance_micro_usdc, w.version, count(e.*))
    from kelpie.wallets w
    left join kelpie.ledger_entries e
      on e.partner_id = w.partner_id and e.environment = w.environment and e.account = 'wallet'
    group by w.partner_id, w.environment, w.balance_micro_usdc, w.version
    having count(e.*) <> w.version or count(distinct e.wallet_version) <> w.version
      or coalesce(max(e.wallet_version), 0) <> w.version or coalesce(-sum(e.amount), 0) <> w.balance_micro_usdc
    union all
    select format('events of %s are numbered up to %s, and the counter says %s', c.environment, max(e.sequence), c.last_sequence)
    from kelpie.event_counters c
    left join kelpie.events e on e.partner_id = c.partner_id and e.environment = c.environment
    group by c.environment, c.last_sequence
    having max(e.sequence) <> c.last_sequence or count(distinct e.sequence) <> max(e.sequence) - min(e.sequence) + 1;
end;
$$;

-- Rows of no partner that a partner's rows refer to.
create or replace function cells.read_shared_rows(partner uuid) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set timezone = 'UTC'
as $$
begin
  perform set_config('cells.moving_partner', partner::text, true);
  return jsonb_build_object(
    'price_plans', (select coalesce(jsonb_agg(to_jsonb(p)), '[]') from kelpie.price_plans p),
    'reconciliations', (
      select coalesce(jsonb_agg(to_jsonb(r)), '[]') from kelpie.reconciliations r
      where r.id in (select e.run_id from kelpie.reconciled_environments e) and r.finished_at is not null
    )
  )::text;
end;
$$;

create or replace function cells.write_shared_rows(shared jsonb) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  insert into kelpie.price_plans
  select * from jsonb_populate_recordset(null::kelpie.price_plans, shared -> 'price_plans') on conflict (id) do nothing;
  if exists (
    select to_jsonb(p) from jsonb_populate_recordset(null::kelpie.price_plans, shared -> 'price_plans') p
    except select to_jsonb(p) from kelpie.price_plans p
  ) then
    raise exception 'a price plan is another one here' using errcode = 'KP461';
  end if;
  insert into kelpie.reconciliations
  select * from jsonb_populate_recordset(null::kelpie.reconciliations, shared -> 'reconciliations')
  on conflict (id) do nothing;
end;
$$;

-- Why a partner cannot leave a cell now; sentences. The prototype leaves these cases out (docs/cells.md).
create or replace function cells.obstacles_to_leave(partner uuid) returns setof text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('cells.moving_partner', partner::text, true);
  return query
    select 'the partner is not in this cell' where not exists (select from kelpie.partners)
    union all
    select 'a reconciliation of the partner is under way' where exists (select from kelpie.reconciliation_progress)
    union all
    select 'the partner has a payout that was adopted by a proposal' where exists (
      select from kelpie.proposals a join kelpie.payouts p on p.id::text = a.subject
    )
    union all
    select 'the partner has invoices, whose numbers belong to this cell' where exists (select from kelpie.invoices)
    union all
    select 'the partner has entries in the archive of this cell' where exists (select from kelpie.carried_entries);
end;
$$;

-- The same of where it is to go.
create or replace function cells.obstacles_to_arrive(partner uuid, first_entry timestamptz) returns setof text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('cells.moving_partner', partner::text, true);
  return query
    select 'the partner is in this cell already' where exists (select from kelpie.partners)
    union all
    select 'the partner has entries in a day that this cell has closed' where exists (
      select from kelpie.closed_days d where d.day >= (first_entry at time zone 'utc')::date
    );
end;
$$;

create or replace function cells.first_entry_at(partner uuid) returns timestamptz
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('cells.moving_partner', partner::text, true);
  return (
    select kelpie.instant_of(e.transfer_id) from kelpie.ledger_entries e
    where e.partner_id = partner order by e.transfer_id limit 1
  );
end;
$$;

-- Closes a partner here: 'leaving' from now on, or 'arriving' before the first row is. The same move again takes it over.
-- A partner that has rows here does not arrive: an abort would delete them.
create or replace function cells.close_partner(partner uuid, new_state text, of_move uuid, of_attempt bigint) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('cells.moving_partner', partner::text, true);
  perform pg_advisory_xact_lock(hashtextextended('cells.' || partner, 0));
  if exists (select from cells.ended_moves e where e.move_id = of_move) then
    raise exception 'the move has ended here' using errcode = 'KP462';
  end if;
  if new_state = 'arriving' and exists (select from kelpie.partners) and not exists (
    select from cells.closed_partners c where c.partner_id = partner and c.state = 'arriving' and c.move_id = of_move
  ) then
    raise exception 'the partner is in this cell' using errcode = 'KP462';
  end if;
  insert into cells.closed_partners as c (partner_id, state, move_id, attempt)
  values (partner, new_state, of_move, of_attempt)
  on conflict (partner_id) do update set state = excluded.state, attempt = excluded.attempt
  where c.move_id = of_move and c.attempt <= of_attempt
    and (c.state = excluded.state or (c.state, excluded.state) in (('leaving', 'gone')));
  if not found then
    raise exception 'the partner is closed here by another move, or by a later mover' using errcode = 'KP462';
  end if;
end;
$$;

-- Takes over from an earlier start of the mover. False where nothing of this move is arriving.
create or replace function cells.take_over_arrival(partner uuid, of_move uuid, of_attempt bigint) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update cells.closed_partners c set attempt = of_attempt
  where c.partner_id = partner and c.move_id = of_move and c.state = 'arriving' and c.attempt <= of_attempt;
  return found;
end;
$$;

-- Opens it: the partner lives here from this commit on. The lock is that of closing, so that one which is under way is over.
create or replace function cells.open_partner(partner uuid, of_move uuid, of_attempt bigint) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('cells.' || partner, 0));
  insert into cells.ended_moves (move_id) values (of_move) on conflict do nothing;
  delete from cells.closed_partners c
  where c.partner_id = partner and c.move_id = of_move and c.attempt <= of_attempt and c.state <> 'gone';
end;
$$;

-- The transactions that may have read before a partner was closed, and can still write.
create or replace function cells.running_transactions() returns text[]
  language sql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(distinct l.virtualtransaction), '{}')
  from pg_locks l
  join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'virtualxid' and l.granted and l.pid <> pg_backend_pid()
    and a.datname = current_database() and a.usename not in ('kelpie_reader', 'kelpie_mover')
$$;

-- What the directory has to know of a partner.
create or replace function cells.addresses_of(partner uuid)
  returns table (slug text, key_prefixes text[], sessions bytea[])
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform set_config('cells.moving_partner', partner::text, true);
  return query
    select p.slug,
      array(
        select k.key_prefix from kelpie.api_keys k where k.revoked_at is null
        union select k.previous_prefix from kelpie.api_keys k where k.revoked_at is null and k.previous_prefix is not null
      ),
      array(select s.token_hmac from kelpie.sessions s where s.revoked_at is null)
    from kelpie.partners p;
end;
$$;

do $owners$
declare
  of_function record;
begin
  for of_function in select p.oid::regprocedure as signature from pg_proc p where p.pronamespace = 'cells'::regnamespace loop
    execute format('revoke execute on function %s from public', of_function.signature);
    execute format('grant execute on function %s to kelpie_mover, kelpie_moves', of_function.signature);
    execute format('alter function %s owner to kelpie_moves', of_function.signature);
  end loop;
end;
$owners$;
