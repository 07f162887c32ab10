import type { Client } from 'pg';

/**
 * The rules that docs/database.md gives for every table, read from the catalogue: a table that breaks one is named with
 * the sentence that it breaks. Each query finds the violations of one rule.
 */
const rules: readonly { rule: string; violations: string }[] = [
  {
    rule: 'a table says in its comment whether it grows (@grows) or not (@bounded)',
    violations: `select relname as name from tables where comment !~ '@(grows|bounded)\\M'`,
  },
  {
    rule: 'a table has the column partner_id, not null, or says @shared in its comment',
    violations: `
      select relname as name from tables t
      where comment !~ '@shared\\M' and relname <> 'partners' and not exists (
        select from pg_attribute a where a.attrelid = t.oid and a.attname = 'partner_id' and a.attnotnull
      )`,
  },
  {
    rule: 'a table with rows of partners, and each of its partitions, has row security enabled and forced',
    violations: `
      select c.relname as name from partner_tables t
      cross join lateral (select t.oid union all select inhrelid from pg_inherits where inhparent = t.oid) part (oid)
      join pg_class c on c.oid = part.oid
      where not (c.relrowsecurity and c.relforcerowsecurity)`,
  },
  {
    rule: `what the service's role may see of a table is bound to the partner of the transaction`,
    violations: `
      select t.relname as name from partner_tables t
      where not exists (select from service_policies p where p.polrelid = t.oid)
        or exists (
          select from service_policies p
          where p.polrelid = t.oid and (not p.shown_is_bound or not p.checked_is_bound)
        )`,
  },
  {
    rule: 'a table with an environment is bound to that too, unless it says @both-environments in its comment',
    violations: `
      select t.relname as name from partner_tables t
      join pg_attribute a on a.attrelid = t.oid and a.attname = 'environment'
      where t.comment !~ '@both-environments\\M' and exists (
        select from service_policies p
        where p.polrelid = t.oid and not (
          coalesce(p.shown, p.checked) ~ '\\(environment = kelpie\\.current_environment\\(\\)\\)'
          and coalesce(p.checked, p.shown) ~ '\\(environment = kelpie\\.current_environment\\(\\)\\)'
        )
      )`,
  },
  {
    rule: 'a reference between rows of partners carries the partner, and the environment where both have one',
    violations: `
      select k.conname as name from pg_constraint k
      join partner_tables t on t.oid = k.conrelid
      join partner_tables target on target.oid = k.confrelid
      where k.contype = 'f' and (
        not references_by(k.oid, 'partner_id')
        or (has_column(t.oid, 'environment') and has_column(target.oid, 'environment') and not references_by(k.oid, 'environment'))
      )`,
  },
  {
    rule: 'a table with rows of partners refers to its partner, or says @by-function in its comment: one function writes it, and checks',
    violations: `
      select t.relname as name from partner_tables t
      where t.relname <> 'partners' and t.comment !~ '@by-function\\M' and not exists (
        select from pg_constraint k where k.conrelid = t.oid and k.contype = 'f' and references_by(k.oid, 'partner_id')
      )`,
  },
  {
    rule: 'the environment of a row is never left open',
    violations: `
      select t.relname as name from partner_tables t
      join pg_attribute a on a.attrelid = t.oid and a.attname = 'environment'
      where not a.attnotnull and t.comment !~ '@both-environments\\M'`,
  },
  {
    rule: 'only a table that grows is partitioned, and its rows are reached by month',
    violations: `
      select t.relname as name from tables t join pg_partitioned_table p on p.partrelid = t.oid where t.comment !~ '@grows\\M'`,
  },
  {
    rule: 'tables are in the schema kelpie, and those of the job engine in pgboss',
    violations: `
      select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname not in ('kelpie', 'pgboss', 'pg_catalog', 'information_schema')
        and n.nspname !~ '^pg_(toast|temp)'`,
  },
  {
    rule: 'no role but the owner makes anything in our schemas',
    violations: `
      select rolname || ' in ' || n.nspname as name from pg_roles
      cross join pg_namespace n
      where starts_with(rolname, 'kelpie_') and rolname <> 'kelpie_owner' and n.nspname in ('kelpie', 'pgboss', 'public')
        and has_schema_privilege(rolname, n.oid, 'create')`,
  },
  {
    rule: 'a table that grows is partitioned by month over a UUIDv7, without a default partition, or says @kept-whole',
    violations: `
      select t.relname as name from tables t
      left join pg_partitioned_table p on p.partrelid = t.oid
      left join pg_attribute a on a.attrelid = t.oid and a.attnum = p.partattrs[0]
      where t.comment ~ '@grows\\M' and t.comment !~ '@kept-whole\\M' and (
        p.partstrat is distinct from 'r' or p.partnatts <> 1 or a.atttypid <> 'uuid'::regtype or p.partdefid <> 0
      )`,
  },
  {
    rule: 'only a table partitioned by month forgets (@forgets-after-N-months), and none that is changed',
    violations: `
      select t.relname as name from tables t
      where t.comment ~ '@forgets' and (
        t.comment !~ '@forgets-after-[0-9]+-months\\M' or t.comment ~ '@(changes|kept-whole)\\M'
        or not exists (select from pg_partitioned_table p where p.partrelid = t.oid)
      )`,
  },
  {
    rule: 'a partition is reached through its table alone',
    violations: `
      select c.relname as name from pg_class c
      cross join unnest(array['kelpie_service', 'kelpie_reader']) as role
      where c.relispartition and c.relnamespace = 'kelpie'::regnamespace and c.relkind = 'r'
        and has_table_privilege(role, c.oid, 'select, insert, update, delete, truncate, references, trigger')`,
  },
  {
    rule: 'everything belongs to the owner',
    violations: `
      select relname as name from pg_class
      where relnamespace in ('kelpie'::regnamespace, 'pgboss'::regnamespace) and relowner <> 'kelpie_owner'::regrole`,
  },
  {
    // The doctor takes the statistics' role on for one query: no role inherits.
    rule: 'a role has no more than its part: no superuser, no way past row security, no rights by membership',
    violations: `
      select rolname as name from pg_roles r
      where starts_with(rolname, 'kelpie_') and (
        rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication or rolinherit
        or (rolname <> 'kelpie_owner' and exists (
          select from pg_auth_members m where m.member = r.oid
            and not (rolname = 'kelpie_reader' and m.roleid = 'pg_read_all_stats'::regrole)
        ))
      )`,
  },
  {
    rule: `the service's role can't empty a table or hang a trigger on it`,
    violations: `
      select relname as name from tables t
      where has_table_privilege('kelpie_service', t.oid, 'truncate, references, trigger')`,
  },
  {
    rule: 'the reading role only reads',
    violations: `
      select relname as name from tables t
      where has_table_privilege('kelpie_reader', t.oid, 'delete, truncate, trigger')
        or has_any_column_privilege('kelpie_reader', t.oid, 'insert, update, references')`,
  },
  {
    rule: `a function with its owner's rights belongs to a role that nobody connects as, fixes its search path, and is not for everyone`,
    violations: `
      select p.proname as name from pg_proc p
      where p.pronamespace = 'kelpie'::regnamespace and p.prosecdef and (
        (p.proname in (
          'make_month_partition', 'drop_month_partition', 'operator_begin_archive', 'operator_drop_archived',
          'operator_begin_return', 'load_archived_lines', 'load_archived_entries', 'operator_finish_return', 'operator_stop_archive'
        )) <> (p.proowner = 'kelpie_owner'::regrole)
        or not (p.proowner = any ('{kelpie_owner, kelpie_ledger, kelpie_access, kelpie_payouts}'::regrole[]))
        or not ('search_path=pg_catalog, pg_temp' = any (coalesce(p.proconfig, '{}')))
        or has_function_privilege('public', p.oid, 'execute')
      )`,
  },
];

/** Tables, not partitions. References are compared column by column: position in one key with position in the other. */
const views = `
  -- A condition that begins with the partner's and only narrows it further. None at all (null) is that of the other half.
  create function pg_temp.bound(condition text) returns boolean language sql immutable
    return coalesce(condition ~ '^\\(+(partner_id|id) = kelpie\\.current_partner\\(\\)\\)' and condition !~* '\\mor\\M', true);
  create temp view tables as
    select c.oid, c.relname, coalesce(obj_description(c.oid, 'pg_class'), '') as comment
    from pg_class c
    where c.relnamespace = to_regnamespace('kelpie') and c.relkind in ('r', 'p') and not c.relispartition;
  create temp view partner_tables as
    select t.* from tables t
    where t.relname = 'partners'
      or exists (select from pg_attribute a where a.attrelid = t.oid and a.attname = 'partner_id');
  create temp view service_policies as
    select p.*, pg_temp.bound(p.shown) as shown_is_bound, pg_temp.bound(p.checked) as checked_is_bound
    from (
      select polrelid, pg_get_expr(polqual, polrelid) as shown, pg_get_expr(polwithcheck, polrelid) as checked
      from pg_policy
      -- One that only restricts shows nothing by itself.
      where polpermissive and polroles && array[0, (select oid from pg_roles where rolname = 'kelpie_service')]
    ) as p;
  create function pg_temp.has_column(table_oid oid, column_name text) returns boolean language sql stable
    return exists (select from pg_attribute where attrelid = table_oid and attname = column_name);
  create function pg_temp.references_by(constraint_oid oid, column_name text) returns boolean language sql stable
    return exists (
      select from pg_constraint k
      cross join lateral unnest(k.conkey, k.confkey) as pair (own, target)
      join pg_attribute own on own.attrelid = k.conrelid and own.attnum = pair.own
      join pg_attribute target on target.attrelid = k.confrelid and target.attnum = pair.target
      where k.oid = constraint_oid and own.attname = column_name
        and (target.attname = column_name or (k.confrelid = to_regclass('kelpie.partners') and target.attname = 'id'))
    );
`;

/** What the schema breaks, as "name: rule". Run as a superuser, in a transaction that is rolled back afterwards. */
export async function findBrokenRules(client: Client): Promise<string[]> {
  await client.query(views);
  const broken: string[] = [];
  for (const { rule, violations } of rules) {
    const sql = violations.replaceAll(/\b(has_column|references_by)\(/g, 'pg_temp.$1(');
    const { rows } = await client.query<{ name: string }>(sql);
    broken.push(...rows.map(({ name }) => `${name}: ${rule}`));
  }
  return broken.toSorted();
}

/** Every table that holds rows of partners, with the column that says whose they are. */
export async function findPartnerTables(client: Client): Promise<{ table: string; column: string }[]> {
  await client.query('begin');
  await client.query(views);
  const { rows } = await client.query<{ table: string; column: string }>(
    `select 'kelpie.' || quote_ident(relname) as table, case relname when 'partners' then 'id' else 'partner_id' end as column
     from partner_tables order by relname`,
  );
  await client.query('rollback');
  return rows;
}
