import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { asAdmin, createDatabase, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import type { TestDatabase } from './database.ts';

/** As a role of the cells, with a password that every run on this server agrees on. */
export function urlForCells(superuserUrl: string, role: string): string {
  const url = new URL(superuserUrl);
  url.username = role;
  url.password = createHmac('sha256', new URL(superuserUrl).password).update(role).digest('hex');
  return url.href;
}

const roles = { cell: ['kelpie_mover'], directory: ['kelpie_mover', 'kelpie_router'] } as const;

export function adminUrlOf({ superuserUrl }: Pick<TestDatabase, 'superuserUrl'>): string {
  const url = new URL(superuserUrl);
  url.pathname = '/postgres';
  return url.href;
}

/** Makes a database a cell, or the directory of cells. */
export async function prepareForCells(superuserUrl: string, name: keyof typeof roles): Promise<void> {
  const sql = await readFile(`${projectFolder}/service/src/cells/sql/${name}.sql`, 'utf8');
  // Roles belong to the server: two runs at once would both find one missing. A lock of this kind belongs to a database.
  await asAdmin(adminUrlOf({ superuserUrl }), async (server) => {
    await server.query(`select pg_advisory_lock(hashtextextended('kelpie.roles', 0))`);
    await asAdmin(superuserUrl, async (client) => {
      await client.query(sql);
      for (const role of roles[name])
        await client.query(`alter role ${role} password '${new URL(urlForCells(superuserUrl, role)).password}'`);
    });
  });
}

/** The directory of the cells, on the server of one of them. */
export async function createDirectory(
  beside: Pick<TestDatabase, 'superuserUrl'>,
  atEnd: (end: () => Promise<unknown>) => void,
): Promise<string> {
  const adminUrl = adminUrlOf(beside);
  const database = `${new URL(beside.superuserUrl).pathname.slice(1)}_directory`;
  atEnd(async () => dropDatabase(adminUrl, database));
  await createDatabase(adminUrl, database);
  const superuserUrl = urlFor(adminUrl, database);
  await prepareForCells(superuserUrl, 'directory');
  return superuserUrl;
}
