import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { Client } from 'pg';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';

const database = await createTestDatabase();
const batch = 100;

/** Numbers a batch, and says how many rows of events that read. */
async function numberBatch(admin: Client, partnerId: string): Promise<number> {
  await admin.query(
    `insert into kelpie.unnumbered_events (partner_id, environment, type, subject_id, version, at)
     select $1, 'sandbox', 'payout.completed', gen_random_uuid(), 3, now() from generate_series(1, $2)`,
    [partnerId, batch],
  );
  await admin.query('select pg_stat_force_next_flush()');
  await admin.query('begin');
  await admin.query('select kelpie.number_events(now(), 1000)');
  const { rows } = await admin.query<{ rows_read: string }>(
    `select sum(seq_tup_read + idx_tup_fetch) as rows_read from pg_stat_xact_user_tables where relname like 'events_20%'`,
  );
  await admin.query('commit');
  return Number(rows[0]?.rows_read);
}

test('fanning out reads the events that were just numbered, however many there are', async () => {
  const { partnerId } = await createSimulatedPartner(database);
  await asAdmin(database.superuserUrl, async (admin) => {
    for (const place of [1, 2])
      await admin.query(
        `insert into kelpie.webhook_endpoints (id, partner_id, environment, place, url, secret_encrypted, created_at)
         values ($1, $2, 'sandbox', $3, 'https://shop.example', '', now())`,
        [randomUUID(), partnerId, place],
      );
    const readRows: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      readRows.push(await numberBatch(admin, partnerId));
      if (round % 5 === 4) await admin.query('analyze');
    }
    assert(Math.max(...readRows) <= 4 * batch, `rows read: ${readRows.join(' ')}`);
  });
});
