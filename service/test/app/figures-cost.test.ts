import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { listScheduleFigures } from '../../src/app/gauges/schedule-figures.ts';
import { listFigures, listMailFigures, listRunways } from '../../src/app/gauges/shared-figures.ts';
import { openPool, type Pool } from '../../src/platform/database/pool.ts';
import { inReadOnlyTransaction, type Transaction } from '../../src/platform/database/transaction.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createTestDatabase } from '../harness/database.ts';
import { plantDuePayouts } from '../harness/due-payouts.ts';
import { createPartners, createSimulatedPartner } from '../harness/partners.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const reader = openPool({ url: database.readerUrl, connections: 1, applicationName: 'test', logger });
const service = openPool({ url: database.serviceUrl, connections: 1, applicationName: 'test', logger });
after(async () => Promise.all([reader.end(), service.end()]));

const kept = 20_000;

/** What has ended, and is kept: none of it is counted. */
async function plantWhatIsKept(partnerId: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) => {
    await admin.query(
      `insert into pgboss.job (name, data, state, created_on, completed_on)
       select 'low-wallets', '{}', 'completed', now(), now() from generate_series(1, $1)`,
      [kept],
    );
    await admin.query(
      `insert into kelpie.outgoing_mails (id, kind, message_id, created_at, sent_at)
       select gen_random_uuid(), 'planted', '<' || n || '@kelpie.example>', now(), now() from generate_series(1, $1) n`,
      [kept],
    );
    await admin.query(
      `insert into kelpie.webhook_deliveries (
         event_id, endpoint_id, partner_id, environment, sequence, subject_id, state, created_at, retry_until, ended_at
       )
       select kelpie.new_id_at(now()), $2, $3, 'sandbox', n, gen_random_uuid(), 'delivered', now(), now(), now()
       from generate_series(1, $1) n`,
      [kept, randomUUID(), partnerId],
    );
    await admin.query('analyze');
  });
}

/** Partners that spend, one of them seldom, each with many payouts of this week. */
async function plantSpending(): Promise<void> {
  const partners = await createPartners(database, 3, 'live');
  for (const [at, partner] of partners.entries())
    await plantDuePayouts(database, partner, { count: at === 0 ? 1 : 3_000 });
  await asAdmin(database.superuserUrl, async (admin) => {
    await admin.query(
      `insert into kelpie.daily_spending (partner_id, environment, on_day, subject, spent_pence)
       select partner.id, 'live', current_date, '', 100 from unnest($1::uuid[]) as partner (id)`,
      [partners.map(({ partnerId }) => partnerId)],
    );
    await admin.query('delete from kelpie.payout_leases');
    await admin.query('analyze');
  });
}

/** Rows that the transaction has read of tables that grow. */
async function countRead(tx: Transaction): Promise<number> {
  const { rows } = await tx.query<{ rows_read: string | null }>(
    `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) as rows_read from pg_stat_xact_all_tables
     where schemaname in ('kelpie', 'pgboss')`,
  );
  return Number(rows[0]?.rows_read ?? 0);
}

async function readsOf(pool: Pool, read: (tx: Transaction) => Promise<unknown>): Promise<number> {
  return inReadOnlyTransaction(pool, 'shared', async (tx) => {
    await read(tx);
    return countRead(tx);
  });
}

test('reading the figures costs the same, however much is kept of what has ended', async (t) => {
  const { partnerId } = await createSimulatedPartner(database);
  await plantWhatIsKept(partnerId);
  await plantSpending();
  const now = new Date();
  const runways = await inReadOnlyTransaction(reader, 'shared', async (tx) => listRunways(tx, now));
  assert.equal(runways.length, 1, 'there are wallets whose end is foreseen');
  const reads = {
    figures: await readsOf(reader, async (tx) => listFigures(tx, now)),
    schedules: await readsOf(reader, listScheduleFigures),
    runways: await readsOf(reader, async (tx) => listRunways(tx, now)),
    mails: await readsOf(service, async (tx) => listMailFigures(tx, now)),
  };
  t.diagnostic(JSON.stringify(reads));
  for (const [what, rows] of Object.entries(reads)) assert(rows < kept / 20, `${what} read ${rows} rows`);
});
