import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { eraseOldPayouts } from '../../src/payouts/records/erase-old-payouts.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { eraseInRounds } from '../../src/platform/retention/erase-in-rounds.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createPartners } from '../harness/partners.ts';
import { plantPayout } from '../harness/planted-payout.ts';

const database = await createTestDatabase();
const partners = createPartners(database, 1);
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
after(async () => pool.end());
const calls = createSingleCalls(pool, noFailpoint);
const yearMs = 365.25 * 24 * 60 * 60_000;

async function admin<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<Row>(sql, values)).rows);
}

/** By a member, in the dashboard. */
async function plantOf(years: number): Promise<string> {
  const at = new Date(Date.now() - years * yearMs);
  for (const table of ['payouts', 'payout_history'])
    await admin(`select kelpie.make_month_partition($1, date_trunc('month', $2::timestamptz, 'utc'))`, [table, at]);
  const [partner] = await partners;
  assert(partner !== undefined);
  const { id } = await plantPayout(database, partner, 'completed', { id: newId({ now: () => at }) });
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `update kelpie.payouts set created_via = 'dashboard', created_by = 'ada@people.test' where id = $1`,
      [id],
    );
    await client.query(`update kelpie.payout_history set by = 'ada@people.test' where payout_id = $1`, [id]);
  });
  return id;
}

async function erase(years: number): Promise<void> {
  const now = (): Date => new Date(Date.now() + years * yearMs);
  await eraseInRounds(eraseOldPayouts, { calls, clock: { now } }, new AbortController().signal);
}

async function listRuns(): Promise<string[]> {
  const rows = await admin<{ removed: string }>(
    `select removed from kelpie.retention_runs where job = 'erase-old-payouts' order by on_day`,
  );
  return rows.map(({ removed }) => removed);
}

test('people are erased from payouts after six years by the clock of the database, and each run is recorded', async () => {
  const old = [await plantOf(6.5), await plantOf(6.1)];
  const young = await plantOf(5.9);
  await erase(50);
  assert.deepEqual(
    await admin(
      `select p.id, recipient_name, account_last4, recipient_encrypted is null as is_gone, created_by, h.by, amount_pence
       from kelpie.payouts p join kelpie.payout_history h on h.payout_id = p.id order by p.id`,
    ),
    [
      ...old.map((id) => ({
        id,
        recipient_name: null,
        account_last4: null,
        is_gone: true,
        created_by: 'erased',
        by: 'erased',
        amount_pence: '100',
      })),
      {
        id: young,
        recipient_name: 'Ada Byron',
        account_last4: '5678',
        is_gone: false,
        created_by: 'ada@people.test',
        by: 'ada@people.test',
        amount_pence: '100',
      },
    ],
  );
  assert.deepEqual(await listRuns(), ['2']);
  await erase(50);
  assert.deepEqual(await listRuns(), ['2'], 'a second run of the day finds nothing more');
});
