import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { OperatorError } from '../operator-error.ts';

/** Where the service keeps its migrations and functions. */
export const ownFolder = new URL('../../../database/', import.meta.url);

/** What is applied once: types, tables, indexes, constraints, policies and grants. */
export interface Migration {
  name: string;
  checksum: string;
  sql: string;
}

export function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
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
    const sql = readFileSync(new URL(name, migrations), 'utf8');
    return { name, sql, checksum: checksumOf(sql) };
  });
}
