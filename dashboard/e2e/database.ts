import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { stack } from './stack.ts';

/** What a query names `found`, in its first row. */
export async function findText(sql: string, values: readonly unknown[]): Promise<string | undefined> {
  const { rows } = await asAdmin(stack.databaseUrl, async (client) =>
    client.query<{ found: string }>(sql, [...values]),
  );
  return rows[0]?.found;
}
