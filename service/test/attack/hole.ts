import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectFolder } from '@kelpie/dev/project.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { TestDatabase } from '../harness/database.ts';
import { cut, type Cut } from './cut.ts';

/**
 * A defence that is taken away, to see that the attack on it notices. A file of SQL is applied to the test's own database,
 * any other is changed while an api process loads it.
 */
export interface Hole extends Cut {
  /** Who owns the function meanwhile, where it must see past row security. */
  owner?: 'kelpie_payouts' | 'kelpie_access';
}

function read(file: string): string {
  return readFileSync(path.join(projectFolder, file), 'utf8');
}

function isSql({ file }: Hole): boolean {
  return file.endsWith('.sql');
}

/** The settings of a process that loads the file with its hole. The process must run from source. */
export function envOf(hole: Hole): Record<string, string> {
  if (isSql(hole)) return {};
  // An edit that no longer fits fails here, in words: the process would only not start.
  cut(hole, read(hole.file));
  const loader = pathToFileURL(path.join(projectFolder, 'service/test/attack/load-hole.ts')).href;
  return { NODE_OPTIONS: `--import ${loader}`, PLANTED_HOLE: JSON.stringify(hole) };
}

/** Applies a hole of SQL; returns how to close it again. */
export async function openInDatabase(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  hole: Hole,
): Promise<() => Promise<void>> {
  if (!isSql(hole)) return async () => undefined;
  const whole = read(hole.file);
  const name = path.basename(hole.file, '.sql');
  const apply = async (sql: string, owner?: string): Promise<void> => {
    await asAdmin(superuserUrl, async (client) => {
      await client.query(sql);
      if (owner !== undefined) await client.query(`alter function kelpie.${name} owner to ${owner}`);
    });
  };
  await apply(cut(hole, whole), hole.owner);
  return async () => apply(whole, hole.owner === undefined ? undefined : 'kelpie_owner');
}
