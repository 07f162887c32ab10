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
  /** A second function of the database, where two stand guard. */
  also?: Cut;
  /** Who owns the function meanwhile, where it must see past row security. */
  owner?: 'kelpie_payouts' | 'kelpie_access';
}

function read(file: string): string {
  return readFileSync(path.join(projectFolder, file), 'utf8');
}

function isSql({ file }: Cut): boolean {
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
  { owner, also, ...hole }: Hole,
): Promise<() => Promise<void>> {
  const cuts = [hole, ...(also === undefined ? [] : [also])].filter(isSql);
  const apply = async (textOf: (each: Cut) => string, newOwner: string): Promise<void> => {
    for (const each of cuts)
      await asAdmin(superuserUrl, async (client) => {
        await client.query(textOf(each));
        const name = path.basename(each.file, '.sql');
        if (owner !== undefined) await client.query(`alter function kelpie.${name} owner to ${newOwner}`);
      });
  };
  await apply((each) => cut(each, read(each.file)), owner ?? '');
  return async () => apply(({ file }) => read(file), 'kelpie_owner');
}
