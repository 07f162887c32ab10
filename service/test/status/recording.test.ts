import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { readStatus, recordStatus } from '../../src/status/store.ts';
import { byComponent, components, type Component, type Level } from '../../src/status/components.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createPartners } from '../harness/partners.ts';
import { createPayoutDeps } from '../harness/payout-deps.ts';
import { plantPayout } from '../harness/planted-payout.ts';

const database = await createTestDatabase();
const { calls } = createPayoutDeps(database, { provider_sandbox: null });

async function admin(sql: string, values: unknown[] = []): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) => void (await client.query(sql, values)));
}

async function forget(): Promise<void> {
  await admin(`update kelpie.status_now set minute = null, level = 'operational'`);
  await asAdmin(database.superuserUrl, async (client) => {
    // Updates are insert-only.
    await client.query('set session_replication_role = replica');
    await client.query('truncate kelpie.status_days, kelpie.status_incidents, kelpie.status_updates');
  });
}

async function record(at: string, found: Partial<Record<Component, Level>> = {}): Promise<void> {
  await recordStatus(
    calls,
    new Date(at),
    byComponent((component) => found[component] ?? 'operational'),
  );
}

/** Recorded minutes, and of them degraded, in an outage and in maintenance, by day. */
async function daysOf(component: Component, at: string): Promise<Record<string, string>> {
  const { days } = await readStatus(calls, new Date(at));
  return Object.fromEntries(
    days
      .filter((day) => day.component === component)
      .map(({ day, ...of }) => [day, `${of.minutes} ${of.degraded} ${of.outage} ${of.maintenance}`]),
  );
}

async function plantIncident(impact: Level, from: string, until: string | null): Promise<void> {
  await admin(
    `with opened as (
       insert into kelpie.status_incidents (id, title, impact, components, opened_at, resolved_at)
       values (gen_random_uuid(), 'A test', $1, '{api}', $2, $3) returning id
     )
     insert into kelpie.status_updates (incident_id, number, at, text) select id, 1, $2, 'A test' from opened`,
    [impact, from, until],
  );
}

test('a minute counts once, as the worst that was recorded for it', async () => {
  await forget();
  await record('2026-11-18T12:00:05Z');
  await Promise.all(Array.from({ length: 10 }, async () => record('2026-11-18T12:00:40Z')));
  assert.deepEqual(await daysOf('bank', '2026-11-18T12:01:00Z'), { '2026-11-18': '1 0 0 0' });
  await record('2026-11-18T12:01:00Z', { bank: 'degraded' });
  await record('2026-11-18T12:01:10Z', { bank: 'outage' });
  await record('2026-11-18T12:01:20Z', { bank: 'operational' });
  assert.deepEqual(await daysOf('bank', '2026-11-18T12:01:00Z'), { '2026-11-18': '2 0 1 0' });
  assert.deepEqual(await daysOf('api', '2026-11-18T12:01:00Z'), { '2026-11-18': '2 0 0 0' });
});

test('a clock that is behind changes nothing', async () => {
  await record('2026-11-18T11:59:00Z', { api: 'outage' });
  assert.deepEqual(await daysOf('api', '2026-11-18T12:01:00Z'), { '2026-11-18': '2 0 0 0' });
});

test('minutes that no process could record are an outage, also over midnight; those of the bank are not counted', async () => {
  await forget();
  await record('2026-11-17T23:50:30Z');
  await record('2026-11-18T00:20:10Z');
  const at = '2026-11-18T00:20:10Z';
  for (const component of components.filter((one) => one !== 'bank'))
    assert.deepEqual(await daysOf(component, at), { '2026-11-17': '10 0 9 0', '2026-11-18': '21 0 20 0' }, component);
  assert.deepEqual(await daysOf('bank', at), { '2026-11-17': '1 0 0 0', '2026-11-18': '1 0 0 0' });
});

test('the first minute of all has no gap before it, and a gap is no longer than what the page shows', async () => {
  await forget();
  await record('2026-01-01T00:00:00Z');
  assert.deepEqual(await daysOf('api', '2026-01-01T00:00:00Z'), { '2026-01-01': '1 0 0 0' });
  await record('2026-11-18T00:00:00Z');
  const days = await daysOf('api', '2026-11-18T00:00:00Z');
  assert.equal(Object.keys(days).length, 90);
  assert.deepEqual([days['2026-08-21'], days['2026-11-18']], ['1440 0 1440 0', '1 0 0 0']);
});

test('a gap that begins in maintenance is maintenance, of the components that it is about', async () => {
  await forget();
  await record('2026-11-18T12:00:00Z');
  await plantIncident('maintenance', '2026-11-18T12:00:30Z', '2026-11-18T12:05:00Z');
  await record('2026-11-18T12:10:00Z');
  assert.deepEqual(await daysOf('api', '2026-11-18T12:10:00Z'), { '2026-11-18': '11 0 0 9' });
  assert.deepEqual(await daysOf('payouts', '2026-11-18T12:10:00Z'), { '2026-11-18': '11 0 9 0' });
});

test('days of over 90 days ago are deleted', async () => {
  await forget();
  await record('2026-08-01T00:00:00Z');
  await admin(`update kelpie.status_now set minute = '2026-11-17 23:59:00+00'`);
  await record('2026-11-18T00:00:00Z');
  await asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query('select distinct day::text from kelpie.status_days');
    assert.deepEqual(rows, [{ day: '2026-11-18' }]);
  });
});

test('the page has open incidents, those of 90 days after their end, and updates with the newest first', async () => {
  await forget();
  await plantIncident('outage', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z');
  await plantIncident('degraded', '2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z');
  await plantIncident('outage', '2026-10-01T00:00:00Z', null);
  const { incidents } = await readStatus(calls, new Date('2026-11-18T00:00:00Z'));
  assert.deepEqual(
    incidents.map(({ impact, resolved_at }) => [impact, resolved_at === null]),
    [
      ['outage', true],
      ['degraded', false],
    ],
  );
});

test('payouts that wait, webhooks that are late and a blocked rail are seen, of live alone', async () => {
  const [live, sandbox] = await createPartners(database, 2);
  assert(live !== undefined && sandbox !== undefined);
  const now = new Date();
  const later = new Date(now.getTime() + 20 * 60_000);
  const before = await readStatus(calls, later);
  assert.deepEqual(before.signals, {
    rail_blocked: false,
    waiting: 0,
    at_bank: 0,
    overdue: 0,
    webhook_delay: 0,
    event_delay: 0,
  });
  await admin(
    `insert into kelpie.partner_environments (partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id)
     values ($1, 'live', now(), 'provider_production', 'customer', 'wallet')`,
    [live.partnerId],
  );
  await admin(`insert into kelpie.wallets (partner_id, environment) values ($1, 'live') on conflict do nothing`, [
    live.partnerId,
  ]);
  for (const environment of ['live', 'sandbox'] as const) {
    const { partnerId } = environment === 'live' ? live : sandbox;
    await plantPayout(database, { partnerId, environment }, 'pending');
  }
  await admin(
    `insert into kelpie.payout_leases (payout_id, partner_id, environment, due_at, leased_until)
     select id, partner_id, environment, $1, $1 from kelpie.payouts on conflict (payout_id) do update set due_at = $1, leased_until = $1`,
    [now],
  );
  await admin(
    `insert into kelpie.webhook_endpoints (id, partner_id, environment, place, url, secret_encrypted, created_at, due_at)
     values (gen_random_uuid(), $1, 'live', 1, 'https://a.test', '', now(), $2),
       (gen_random_uuid(), $3, 'sandbox', 1, 'https://a.test', '', now(), '2026-01-01')`,
    [live.partnerId, now, sandbox.partnerId],
  );
  await admin(
    `insert into kelpie.payment_blocks (id, cause, rail, reason, since, by)
     values (gen_random_uuid(), 'rail_paused', 'provider_production', 'a test', now(), 'test')`,
  );
  const { signals } = await readStatus(calls, later);
  assert.deepEqual(signals, {
    rail_blocked: true,
    waiting: 1,
    at_bank: 0,
    overdue: 1,
    webhook_delay: 1200,
    event_delay: 0,
  });
  await admin(`select kelpie.add_payment_block('frozen', null, $1, null, 'a test', now(), 'test')`, [live.partnerId]);
  assert.equal((await readStatus(calls, later)).signals.waiting, 0, 'what waits for its partner is no fault');
});
