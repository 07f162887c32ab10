import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { PartnerContext } from '../../../src/platform/database/transaction.ts';
import type { TestDatabase } from '../../harness/database.ts';

/** A case of a partner whose wallet at the bank holds a cent more than our books say. */
export async function plantBalanceCase(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  { partnerId, environment }: PartnerContext,
): Promise<string> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `with run as (
         insert into kelpie.reconciliations (id, asked_by, started_at, cut_off_at) values (gen_random_uuid(), 'test', now(), now())
         returning id
       ), found as (
         insert into kelpie.cases (
           id, partner_id, environment, kind, subject, difference_micro_usdc, detail, opened_at, seen, last_run_id, last_seen_at
         )
         select gen_random_uuid(), $1, $2, 'wallet_balance', gen_random_uuid()::text, 10000, 'a cent', now(), 1, id, now() from run
         returning id, partner_id, environment
       )
       insert into kelpie.case_history (case_id, number, partner_id, environment, at, what, by, detail)
       select id, 1, partner_id, environment, now(), 'opened', 'test', 'a cent' from found returning case_id as id`,
      [partnerId, environment],
    );
    return rows[0]?.id ?? '';
  });
}
