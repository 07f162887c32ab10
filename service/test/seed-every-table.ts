import type { Client } from 'pg';

/**
 * At least one row a partner and environment in every table that holds rows of partners. A new table is added here; a
 * test finds it missing otherwise. Run as a superuser: what the service itself may write is not the question here.
 */
export async function seedEveryTable(client: Client, partnerIds: readonly string[]): Promise<void> {
  for (const [index, partnerId] of partnerIds.entries()) {
    await client.query(
      `insert into kelpie.partners (id, slug, name, status, created_at)
       values ($1, 'partner-' || $2::int, 'Partner ' || $2::int, 'active', '2026-11-15')`,
      [partnerId, index],
    );
    await client.query(
      `insert into kelpie.partner_environments (partner_id, environment, created_at)
       values ($1, 'sandbox', '2026-11-15'), ($1, 'live', '2026-11-15')`,
      [partnerId],
    );
    await client.query(`insert into kelpie.wallets (partner_id, environment) values ($1, 'sandbox'), ($1, 'live')`, [
      partnerId,
    ]);
    await client.query(`select set_config('kelpie.batch', 'on', false)`);
    for (const environment of ['sandbox', 'live']) {
      await client.query(
        `select kelpie.post_transfers(
           array[t, t], array[1, 2]::smallint[], array[$1, $1]::uuid[], array[$2, $2]::kelpie.environment[],
           array['bank_wallet', 'wallet']::kelpie.ledger_account[], array[5, -5], array['seed', 'seed'], array[t, t]
         ) from (select kelpie.first_id_at(now()) as first) f
         cross join lateral (select overlay(f.first::text placing substr(gen_random_uuid()::text, 20) from 20)::uuid) as id (t)`,
        [partnerId, environment],
      );
    }
  }
}
