import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { payoutCalls } from '../src/payouts/index.ts';
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

/** The plan of the statement inside the function that the service calls, as the server itself reports it. */
export async function explainGet(database: Pick<TestDatabase, 'superuserUrl'>): Promise<GetPlan> {
  const { id, partner_id: partnerId, partitions } = await findOldest(database.superuserUrl);
  return asAdmin(database.superuserUrl, async (client) => {
    const reported: string[] = [];
    client.on('notice', ({ message }) => reported.push(message ?? ''));
    await client.query(`load 'auto_explain'`);
    await client.query(
      `select set_config(name, value, false) from (values
         ('auto_explain.log_min_duration', '0'), ('auto_explain.log_analyze', 'on'), ('auto_explain.log_buffers', 'on'),
         ('auto_explain.log_nested_statements', 'on'), ('auto_explain.log_level', 'notice'),
         ('plan_cache_mode', 'force_generic_plan')
       ) as setting (name, value)`,
    );
    await client.query(payoutCalls.retrieveChanged.text, [[partnerId], ['sandbox'], [id], [null], [null]]);
    const plan = reported.flatMap((text) => text.split('\n')).filter((line) => line !== '');
    const read = plan.filter((line) => / on payouts_\d{4}_\d\d /.test(line) && !line.includes('never executed'));
    return { partitionsRead: read.length, partitions: Number(partitions), plan };
  });
}
