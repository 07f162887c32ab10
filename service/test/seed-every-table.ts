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
  }
}
