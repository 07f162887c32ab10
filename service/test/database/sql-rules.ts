import { findLongLocks } from './growing-tables.ts';
import type { SqlFile } from './sql-files.ts';

const definition = /\bcreate\s+(?:or\s+replace\s+)?function\s+(?:kelpie\.)?(\w+)/gi;
const notification = /\b(pg_notify|notify)\b/gi;
const ownState = /errcode\s*=\s*'(KP\w{3})'/gi;

function matchesIn({ path: file, sql }: SqlFile, pattern: RegExp): { found: string; file: string }[] {
  const code = sql.replaceAll(/^\s*--.*$/gm, '');
  return [...code.matchAll(pattern)].map(([, found = '']) => ({ found, file }));
}

/** Names that occur more than once, each with where. */
function repeated(matches: readonly { found: string; file: string }[]): string[] {
  const filesOf = Map.groupBy(matches, ({ found }) => found);
  return [...filesOf]
    .filter(([, places]) => places.length > 1)
    .map(([found, places]) => `${found} in ${places.map(({ file }) => file).join(', ')}`);
}

/** A previous signature lives beside the current one for the time of a deploy. */
function isPrevious({ path: file }: SqlFile): boolean {
  return file.split('/').includes('previous');
}

/** What breaks the rules of docs/database.md: each line names the place and the rule. */
export function findBrokenSqlRules(files: readonly SqlFile[], states: readonly string[]): string[] {
  const current = files.filter((file) => !isPrevious(file));
  const inMigrations = current.filter(({ path: file }) => file.startsWith('migrations/'));
  const raised = current.flatMap((file) => matchesIn(file, ownState));
  const raisedStates = new Set(raised.map(({ found }) => found));
  return [
    ...repeated(current.flatMap((file) => matchesIn(file, definition))).map((line) => `a second definition: ${line}`),
    ...inMigrations
      .flatMap((file) => matchesIn(file, definition))
      .map(({ found, file }) => `a function in a migration: ${found} in ${file}`),
    ...findLongLocks(inMigrations),
    ...current.flatMap((file) => matchesIn(file, notification)).map(({ file }) => `a commit that notifies: ${file}`),
    ...repeated(raised).map((line) => `an SQLSTATE that is raised twice: ${line}`),
    ...states.filter((state, at) => states.indexOf(state) !== at).map((state) => `an SQLSTATE listed twice: ${state}`),
    ...[...raisedStates].filter((state) => !states.includes(state)).map((state) => `an SQLSTATE not listed: ${state}`),
    ...states.filter((state) => !raisedStates.has(state)).map((state) => `an SQLSTATE never raised: ${state}`),
  ];
}
