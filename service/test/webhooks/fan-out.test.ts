import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { Client } from 'pg';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';

const database = await createTestDatabase();
const batch = 200;
const endpoints = 2;
/** As many as a worker takes for one endpoint, and for all. */
const atMostEach = 20;

/** Rows of events and deliveries that this connection has read and not reported yet. */
async function countRead(admin: Client): Promise<number> {
  const { rows } = await admin.query<{ rows_read: string | null }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows_read from pg_stat_xact_user_tables
     where relname ~ '^(events|webhook_deliveries)_20'`,
  );
  return Number(rows[0]?.rows_read ?? 0);
}

async function readsOf(admin: Client, sql: string, values: readonly unknown[] = []): Promise<number> {
  await admin.query('begin');
  const before = await countRead(admin);
  await admin.query(sql, [...values]);
  const after = await countRead(admin);
  await admin.query('commit');
  return after - before;
}

async function addEvents(admin: Client, partnerId: string): Promise<void> {
  await admin.query(
    `insert into kelpie.unnumbered_events (partner_id, environment, type, subject_id, version, at)
     select $1, 'sandbox', 'payout.completed', gen_random_uuid(), 3, now() from generate_series(1, $2)`,
    [partnerId, batch],
  );
}

interface Leased {
  event_id: string;
  endpoint_id: string;
  attempts: number;
}

async function listLeased(admin: Client): Promise<Leased[]> {
  const { rows } = await admin.query<Leased>(
    'select event_id, endpoint_id, attempts from kelpie.webhook_deliveries where leased_until is not null',
  );
  return rows;
}

/** Each was answered with 204. */
const recordAll = `
  select r.* from (select $1::int as count) l, kelpie.record_attempts(
    now(), array(select kelpie.new_id_at(now()) from generate_series(1, l.count)), $2, $3, $4,
    array_fill(now(), array[l.count]), array_fill(1, array[l.count]), array_fill(204::smallint, array[l.count]),
    array_fill(null::text, array[l.count]), array_fill(null::text, array[l.count]), array_fill(null::text, array[l.count]),
    array_fill(now(), array[l.count]), array_fill(now(), array[l.count]), array_fill(0, array[l.count])
  ) r`;

test('numbering, claiming and recording read what they take, however much is pending, and whatever was analysed', async () => {
  const { partnerId } = await createSimulatedPartner(database);
  await asAdmin(database.superuserUrl, async (admin) => {
    for (let place = 1; place <= endpoints; place += 1)
      await admin.query(
        `insert into kelpie.webhook_endpoints (id, partner_id, environment, place, url, secret_encrypted, created_at)
         values ($1, $2, 'sandbox', $3, 'https://shop.example', '', now())`,
        [randomUUID(), partnerId, place],
      );
    // As on every connection of the service.
    await admin.query('set plan_cache_mode = force_generic_plan');
    const numbered: number[] = [];
    const claimed: number[] = [];
    const recorded: number[] = [];
    for (let round = 0; round < 16; round += 1) {
      await addEvents(admin, partnerId);
      numbered.push(await readsOf(admin, 'select kelpie.number_events(now(), 1000)'));
      const claim = `select * from kelpie.claim_due_deliveries(now(), now() + interval '30 seconds', 200, $1)`;
      claimed.push(await readsOf(admin, claim, [atMostEach]));
      const leased = await listLeased(admin);
      const values = [
        leased.length,
        leased.map(({ endpoint_id: id }) => id),
        leased.map(({ event_id: id }) => id),
        leased.map(({ attempts }) => attempts),
      ];
      recorded.push(await readsOf(admin, recordAll, values));
      if (round % 5 === 4) await admin.query('analyze');
    }
    const said = JSON.stringify({ numbered, claimed, recorded });
    assert(Math.max(...numbered) <= 6 * batch * endpoints, said);
    assert(Math.max(...claimed) <= 20 * atMostEach * endpoints, said);
    assert(Math.max(...recorded) <= 20 * atMostEach * endpoints, said);
  });
});
