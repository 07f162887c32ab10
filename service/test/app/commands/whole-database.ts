import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { TestDatabase } from '../../harness/database.ts';

/** A digest of every row of every table, ours and the job engine's: two that are equal are of the same database. */
export async function digestWholeDatabase({ superuserUrl }: Pick<TestDatabase, 'superuserUrl'>) {
  return asAdmin(superuserUrl, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('kelpie', 'pgboss') and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
    );
    const digests: Record<string, string> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ digest: string }>(
        `select count(*) || ' rows, ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest from ${name} t`,
      );
      digests[name] = rows[0]?.digest ?? '';
    }
    return digests;
  });
}
