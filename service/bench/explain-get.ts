import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { TestDatabase } from '../test/harness/database.ts';

/** How PostgreSQL finds a payout by its id. */
export interface GetPlan {
  /** How many months of payouts it looked at, and how many there are. */
  partitionsRead: number;
  partitions: number;
  plan: string[];
}

async function findOldest(superuserUrl: string): Promise<{ id: string; partner_id: string; partitions: string }> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ id: string; partner_id: string; partitions: string }>(
      `select id, partner_id, (select count(*) from pg_inherits where inhparent = 'kelpie.payouts'::regclass) as partitions
       from kelpie.payouts order by id limit 1`,
    );
    const [row] = rows;
    if (row === undefined) throw new Error('there is no payout to look for');
    return row;
  });
}

/** The statement inside kelpie.show_payout, as the service's role, with the plan that a function comes to keep. */
export async function explainGet(database: Pick<TestDatabase, 'serviceUrl' | 'superuserUrl'>): Promise<GetPlan> {
  const { id, partner_id: partnerId, partitions } = await findOldest(database.superuserUrl);
  return asAdmin(database.serviceUrl, async (client) => {
    await client.query('begin');
    await client.query(`select kelpie.enter($1, 'sandbox')`, [partnerId]);
    await client.query('set local plan_cache_mode = force_generic_plan');
    await client.query('prepare get (uuid) as select * from kelpie.payouts p where p.id = $1');
    const { rows } = await client.query<Record<'QUERY PLAN', string>>(
      `explain (analyze, buffers, costs off) execute get (${client.escapeLiteral(id)})`,
    );
    await client.query('rollback');
    const plan = rows.map((row) => row['QUERY PLAN']);
    const read = plan.filter((line) => / on payouts_\d{4}_\d\d /.test(line) && !line.includes('never executed'));
    return { partitionsRead: read.length, partitions: Number(partitions), plan };
  });
}
