import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { PartnerContext } from '../../src/platform/database/transaction.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import type { TestDatabase } from './database.ts';

/** Partners with an empty wallet each, made in one round trip. */
export async function createPartners(
  database: Pick<TestDatabase, 'superuserUrl'>,
  count: number,
  environment: PartnerContext['environment'] = 'sandbox',
): Promise<PartnerContext[]> {
  const ids = Array.from({ length: count }, () => newId(systemClock));
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query(
      `with made as (
         insert into kelpie.partners (id, slug, name, status, created_at)
         select id, 'p-' || right(id::text, 12), 'Partner', 'active', now() from unnest($1::uuid[]) as id returning id
       ), sides as (
         insert into kelpie.partner_environments (partner_id, environment, created_at)
         select id, $2::kelpie.environment, now() from made returning partner_id, environment
       )
       insert into kelpie.wallets (partner_id, environment) select partner_id, environment from sides`,
      [ids, environment],
    );
  });
  return ids.map((partnerId) => ({ partnerId, environment }));
}
