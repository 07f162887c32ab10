import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { OperatorError } from '../operator-error.ts';
import { parseConcurrentStatement, type ConcurrentStatement } from './concurrent-statements.ts';
import { splitStatements, type Statement } from './split-statements.ts';

/** Where the service keeps its migrations and functions. */
export const ownFolder = new URL('../../../database/', import.meta.url);

/** What is applied once: types, tables, indexes, constraints, policies and grants. */
export interface Migration {
  name: string;
  checksum: string;
  sql: string;
  /** One for after the deploy removes what only the version before needs. */
  runs: 'before deploy' | 'after deploy';
  statements: readonly Statement[];
  /** What to run one by one outside a transaction; null for a migration that is one transaction. */
  concurrent: readonly ConcurrentStatement[] | null;
}

export function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}

const header = /^(?:--[^\n]*\n)*/;
const headerLines = ['-- Before deploy', '-- After deploy', '-- Outside a transaction'];
/** Whatever looks like one of them: a misspelt line must not be taken for the default. */
const likeHeaderLine = /^--[ \t]*(?:(?:before|after) (?:a |the )?deploy|outside (?:a |the )?transaction)\b[^\n]*$/gim;

function readHeader(name: string, sql: string): Pick<Migration, 'runs'> & { isOutside: boolean } {
  const lines = header.exec(sql)?.[0].split('\n') ?? [];
  const [before, after, outside] = headerLines.map((line) => lines.includes(line));
  for (const [like] of sql.matchAll(likeHeaderLine))
    if (!lines.includes(like) || !headerLines.includes(like))
      throw new OperatorError(
        `${name}: "${like}" is not a header line. Use ${headerLines.join(', ')} in the first lines.`,
      );
  if (before && after) throw new OperatorError(`${name} runs before or after the deploy, not both.`);
  return { runs: after ? 'after deploy' : 'before deploy', isOutside: outside === true };
}

function readConcurrent(name: string, { sql }: Statement): ConcurrentStatement {
  const statement = parseConcurrentStatement(sql);
  if (statement !== undefined) return statement;
  throw new OperatorError(
    `${name} runs outside a transaction, so it may only create or drop an index concurrently or validate a constraint. ` +
      `Move this into another migration: ${sql.slice(0, 80)}`,
  );
}

function parseMigration(name: string, sql: string): Migration {
  const { runs, isOutside } = readHeader(name, sql);
  const statements = splitStatements(sql);
  if (!isOutside && statements.some((statement) => /^(?:create|drop) .*?\bconcurrently\b/i.test(statement.sql)))
    throw new OperatorError(`${name} uses "concurrently", so its header needs the line "-- Outside a transaction".`);
  const concurrent = isOutside ? statements.map((statement) => readConcurrent(name, statement)) : null;
  return { name, sql, checksum: checksumOf(sql), runs, statements, concurrent };
}

/** In the order of their numbers. A gap or a doubled number is a merge gone wrong, and stops everything. */
export function readMigrations(folder: URL): Migration[] {
  const migrations = new URL('migrations/', folder);
  const names = readdirSync(migrations)
    .filter((name) => name.endsWith('.sql'))
    .toSorted();
  return names.map((name, index) => {
    const number = String(index + 1).padStart(4, '0');
    if (!name.startsWith(`${number}_`))
      throw new OperatorError(`${name} should be number ${number}: the migrations have a gap, or two have one number`);
    return parseMigration(name, readFileSync(new URL(name, migrations), 'utf8'));
  });
}
