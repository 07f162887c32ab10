import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** A file of SQL, by its path below the database folder. */
export interface SqlFile {
  path: string;
  sql: string;
}

export function readSqlFiles(folder: string): SqlFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .map((file) => ({ path: file, sql: readFileSync(path.join(folder, file), 'utf8') }));
}
