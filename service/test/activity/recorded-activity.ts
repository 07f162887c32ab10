import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { TestDatabase } from '../harness/database.ts';

interface Recorded {
  id: string;
  status: number | null;
  environment: string | null;
  by: string;
  detail: string | null;
}

/** What is written down of one action, in order: by the commits themselves, and page by page. */
export async function activityOf(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  { partnerId }: { partnerId: string },
  action: string,
): Promise<Recorded[]> {
  const { rows } = await asAdmin(superuserUrl, async (client) =>
    client.query<Recorded>(
      `select id, status, environment, by, detail from kelpie.activity where partner_id = $1 and action = $2
       union all
       select (e->>0)::uuid, (e->>3)::int, (e->>1)::kelpie.environment, e->>4, e->>5 from kelpie.activity_pages, jsonb_array_elements(entries) e
       where partner_id = $1 and e->>2 = $2
       order by id`,
      [partnerId, action],
    ),
  );
  return rows;
}
