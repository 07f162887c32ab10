import { splitStatements } from '../../src/platform/database/split-statements.ts';
import type { SqlFile } from './sql-files.ts';

// A table that grows is too large for work that holds a lock for as long as it reads the table.

/** Migrations up to this one were written before the rule, when no table had a release behind it. */
const baseline = '0024';

/** Rules of squawk about such work. */
const longLockRules = [
  'require-concurrent-index-creation',
  'disallowed-unique-constraint',
  'adding-serial-primary-key-field',
  'constraint-missing-not-valid',
  'adding-foreign-key-constraint',
  'adding-not-nullable-field',
  'adding-required-field',
  'changing-column-type',
];

const ignoring = /squawk-ignore(-file)?\b[ \t]*([^\n]*)/g;
const tableComment = /^comment on table kelpie\.([a-z0-9_]+) is '([^]*)'$/i;
const createdTable = /^create (?:unlogged )?table (?:if not exists )?kelpie\.([a-z0-9_]+)/i;
const changedTable =
  /^(?:create (?:unique )?index .*? on|alter table) (?:only )?(?:if exists )?kelpie\.([a-z0-9_]+?)(?:_\d{4}_\d{2})?(?=[ (])/i;

/** By the last comment that a migration gave to each table. */
function findGrowingTables(migrations: readonly SqlFile[]): Set<string> {
  const comments = new Map<string, string>();
  for (const { sql } of migrations)
    for (const statement of splitStatements(sql)) {
      const [, table, comment] = tableComment.exec(statement.sql) ?? [];
      if (table !== undefined) comments.set(table, comment ?? '');
    }
  return new Set([...comments].filter(([, comment]) => /@grows\b/.test(comment)).map(([table]) => table));
}

/** Without rules, it ignores them all. */
function ignoresLongLock(source: string): boolean {
  return [...source.matchAll(ignoring)].some(([, , rules = '']) => {
    const named = new Set(rules.split(',').map((rule) => rule.trim()));
    return rules.trim() === '' || longLockRules.some((rule) => named.has(rule));
  });
}

function buildsIndex(sql: string): boolean {
  if (/^create (?:unique )?index /i.test(sql)) return !/^create (?:unique )?index concurrently /i.test(sql);
  return /\b(?:unique|primary key)\b(?! using index)/i.test(sql);
}

function brokenIn({ path, sql }: SqlFile, growing: ReadonlySet<string>): string[] {
  const statements = splitStatements(sql);
  const created = new Set(statements.map((statement) => createdTable.exec(statement.sql)?.[1]));
  return statements.flatMap((statement) => {
    const broken = /squawk-ignore-file/.test(statement.source) ? [`a whole file that squawk ignores: ${path}`] : [];
    const table = changedTable.exec(statement.sql)?.[1];
    if (table === undefined || !growing.has(table) || created.has(table)) return broken;
    if (buildsIndex(statement.sql))
      broken.push(`an index on ${table}, which grows, that is not built concurrently: ${path}`);
    if (ignoresLongLock(statement.source))
      broken.push(`a rule of squawk about long locks that is ignored on ${table}, which grows: ${path}`);
    return broken;
  });
}

/** What new migrations do to tables that grow and may not. */
export function findLongLocks(migrations: readonly SqlFile[]): string[] {
  const growing = findGrowingTables(migrations);
  return migrations
    .filter(({ path }) => path.replace('migrations/', '').slice(0, 4) > baseline)
    .flatMap((migration) => brokenIn(migration, growing));
}
