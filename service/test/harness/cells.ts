import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { projectFolder } from '@kelpie/dev/project.ts';

/** As a role of the cells, with a password that every run on this server agrees on. */
export function urlForCells(superuserUrl: string, role: string): string {
  const url = new URL(superuserUrl);
  url.username = role;
  url.password = createHmac('sha256', new URL(superuserUrl).password).update(role).digest('hex');
  return url.href;
}

const roles = { cell: ['kelpie_mover'], directory: ['kelpie_mover', 'kelpie_router'] } as const;

/** Makes a database a cell, or the directory of cells. */
export async function prepareForCells(superuserUrl: string, name: keyof typeof roles): Promise<void> {
  const sql = await readFile(`${projectFolder}/service/src/cells/sql/${name}.sql`, 'utf8');
  await asAdmin(superuserUrl, async (client) => {
    // Roles belong to the server: two runs at once would both find one missing.
    await client.query(`select pg_advisory_lock(hashtextextended('kelpie.roles', 0))`);
    await client.query(sql);
    for (const role of roles[name])
      await client.query(`alter role ${role} password '${new URL(urlForCells(superuserUrl, role)).password}'`);
  });
}
