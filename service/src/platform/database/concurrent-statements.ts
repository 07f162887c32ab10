import { OperatorError } from '../operator-error.ts';

/**
 * What a migration outside a transaction may do. Each of these blocks neither reads nor writes, and can be repeated after it
 * was interrupted.
 */
export type ConcurrentStatement =
  | { kind: 'create index'; index: string; table: string; isUnique: boolean; definition: string }
  | { kind: 'drop index'; index: string }
  | { kind: 'validate constraint'; table: string; constraint: string };

const createIndex =
  /^create (unique )?index concurrently (?:if not exists )?([a-z0-9_]+) on kelpie\.([a-z0-9_]+) ?((?:using |\().+)$/is;
const dropIndex = /^drop index concurrently (?:if exists )?kelpie\.([a-z0-9_]+)$/i;
const validateConstraint = /^alter table (?:only )?kelpie\.([a-z0-9_]+) validate constraint ([a-z0-9_]+)$/i;

/** Undefined for any other statement. `sql` has no comments. */
export function parseConcurrentStatement(sql: string): ConcurrentStatement | undefined {
  const [, unique, newIndex = '', indexedTable = '', definition] = createIndex.exec(sql) ?? [];
  if (definition !== undefined)
    return {
      kind: 'create index',
      index: newIndex,
      table: indexedTable,
      isUnique: unique !== undefined,
      definition,
    };
  const [, oldIndex] = dropIndex.exec(sql) ?? [];
  if (oldIndex !== undefined) return { kind: 'drop index', index: oldIndex };
  const [, table = '', constraint] = validateConstraint.exec(sql) ?? [];
  if (constraint !== undefined) return { kind: 'validate constraint', table, constraint };
  return undefined;
}

const longestName = 63;

/** The index of one month: `ledger_entries_of_cause` is `ledger_entries_2026_11_of_cause` there. */
export function partitionIndexName({ index, table }: { index: string; table: string }, partition: string): string {
  const name = index.startsWith(`${table}_`) ? `${partition}${index.slice(table.length)}` : `${partition}_${index}`;
  if (name.length > longestName)
    throw new OperatorError(`The index name ${index} is too long: ${name} has over ${longestName} characters.`);
  return name;
}
