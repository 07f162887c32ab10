// Which lock a statement of a migration takes on which table, by the kind of the statement. A test compares this with what
// PostgreSQL itself takes.

const lockModes = [
  'row exclusive',
  'share update exclusive',
  'share',
  'share row exclusive',
  'access exclusive',
] as const;
export type LockMode = (typeof lockModes)[number];

/** What waits while the lock is held, or behind a statement that waits for it. */
export type Blocked = 'nothing' | 'writes to the same rows' | 'writes' | 'reads and writes';

export interface TableLock {
  /** The name of the table, or of an index where only that is locked. */
  table: string;
  lock: LockMode;
}

const tableName = String.raw`(?:only )?(?:if exists )?kelpie\.([a-z0-9_]+)`;

function form(pattern: string): RegExp {
  return new RegExp(pattern.replaceAll('TABLE', tableName), 'is');
}

/** Several actions of one statement take the strongest lock of all, so the milder rules are for a single action. */
const oneAction = String.raw`(?!.*, (?:add|alter|drop|set|validate|enable|disable|rename|attach|detach) )`;

/** The first that matches holds. */
const rules: readonly [statement: RegExp, lock: LockMode | null][] = [
  [form('^create (?:unique )?index concurrently .*? on TABLE'), 'share update exclusive'],
  [form('^create (?:unique )?index .*? on TABLE'), 'share'],
  [form(`^alter table TABLE ${oneAction}validate constraint `), 'share update exclusive'],
  [form(`^alter table TABLE ${oneAction}attach partition `), 'share update exclusive'],
  [form(`^alter table TABLE ${oneAction}alter (?:column )?\\w+ set statistics `), 'share update exclusive'],
  [form(`^alter table TABLE ${oneAction}set \\(`), 'share update exclusive'],
  [form(`^alter table TABLE ${oneAction}add (?:constraint \\w+ )?foreign key `), 'share row exclusive'],
  [form(`^alter table TABLE ${oneAction}(?:enable|disable) trigger `), 'share row exclusive'],
  [form('^alter table TABLE'), 'access exclusive'],
  [form('^create (?:or replace )?(?:constraint )?trigger .*? on TABLE'), 'share row exclusive'],
  [form('^drop trigger .*? on TABLE'), 'access exclusive'],
  [form('^(?:create|alter|drop) policy .*? on TABLE'), 'access exclusive'],
  [form(String.raw`^comment on (?:table|column) TABLE`), 'share update exclusive'],
  [form('^comment on (?:constraint|policy|trigger) .*? on TABLE'), 'share update exclusive'],
  [form('^(?:drop table|truncate(?: table)?|lock table) TABLE'), 'access exclusive'],
  [form('^(?:create or replace|drop|alter) view TABLE'), 'access exclusive'],
  [form('^create table kelpie.\\w+ partition of TABLE'), 'access exclusive'],
  [form('^(?:insert into|update|delete from) TABLE'), 'row exclusive'],
  [/^select kelpie\.protect_partner_table\('([a-z0-9_]+)'/i, 'access exclusive'],
  [/^select kelpie\.make_insert_only\('([a-z0-9_]+)'/i, 'share row exclusive'],
  // These lock no table that is there already.
  [/^create (?:unlogged table|table|type|view|schema|sequence|domain|extension) /i, null],
  [
    /^(?:grant|revoke|set|reset|alter type|drop type|drop function|drop schema|comment on (?:type|function|view)) /i,
    null,
  ],
];

const reference = /\breferences kelpie\.([a-z0-9_]+)/gi;

/** A foreign key puts triggers on the table that it refers to. */
function referencedBy(sql: string): TableLock[] {
  if (!/^(?:create|create unlogged|alter) table /i.test(sql)) return [];
  return [...sql.matchAll(reference)].map(([, table = '']) => ({ table, lock: 'share row exclusive' }));
}

/** Undefined for a statement that no rule knows. `tableOfIndex` says which table has an index of that name. */
export function locksOf(
  sql: string,
  tableOfIndex: (index: string) => string | undefined,
): readonly TableLock[] | undefined {
  const [, concurrently, index] = /^drop index (concurrently )?(?:if exists )?kelpie\.([a-z0-9_]+)/i.exec(sql) ?? [];
  if (index !== undefined) {
    const lock = concurrently === undefined ? 'access exclusive' : 'share update exclusive';
    return [{ table: tableOfIndex(index) ?? index, lock }];
  }
  for (const [statement, lock] of rules) {
    const [matched, table] = statement.exec(sql) ?? [];
    if (matched === undefined) continue;
    const own: TableLock[] = lock === null || table === undefined ? [] : [{ table, lock }];
    return [...own, ...referencedBy(sql)];
  }
  return undefined;
}

export function blockedBy(lock: LockMode): Blocked {
  switch (lock) {
    case 'row exclusive':
      return 'writes to the same rows';
    case 'share update exclusive':
      return 'nothing';
    case 'share':
    case 'share row exclusive':
      return 'writes';
    case 'access exclusive':
      return 'reads and writes';
  }
}
