import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import { sharedGauges } from '../../src/app/gauges/figures.ts';
import { openRounds } from '../funding/topping-up.ts';
import { call, createPayout, payoutBody } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
import { metricsAddressOf, readMetric } from '../harness/metrics.ts';
import { unreachable } from '../harness/planted-webhook.ts';
import { startWorld } from '../harness/world.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-gauges-'));
after(() => rmSync(folder, { recursive: true }));
const clock = createTestClock();
const database = await createTestDatabase();
// A bank that does not settle: payouts stay open.
const world = await startWorld({
  database,
  settleAfterMs: 60 * 60_000,
  withoutWorker: true,
  env: {
    KELPIE_TEST_CLOCK_FILE: clock.file,
    KELPIE_READER_DATABASE_URL: database.readerUrl,
    KELPIE_HEARTBEAT_ANCHOR: path.join(folder, 'heartbeat'),
    KELPIE_LEDGER_KEY: 'e5'.repeat(32),
    KELPIE_LEDGER_ANCHORS: path.join(folder, 'days'),
  },
});
const worker = await world.addWorker();
const address = await metricsAddressOf(worker);
const round = await openRounds(database);
const client = { url: world.api.url, key: world.partner.key };

type Labels = Readonly<Record<string, string>>;
const sandbox = { environment: 'sandbox' };
const inState = (state: string): Labels => ({ state, ...sandbox });

async function gauge(name: string, labels: Labels = {}): Promise<number | undefined> {
  return readMetric(address, name, labels);
}

async function untilGauge(name: string, labels: Labels, is: (value: number) => boolean): Promise<void> {
  let last: number | undefined;
  const look = async (): Promise<boolean> => is((last = await gauge(name, labels)) ?? Number.NaN);
  await eventually(name, look).catch(() => assert.fail(`${name} is ${String(last)}`));
}

async function plant(sql: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) => admin.query(sql));
}

const anHourOrMore = (value: number): boolean => value >= 3_600;

test('all figures are published and described, with when they were read', async () => {
  await untilGauge('kelpie_figures_timestamp_seconds', {}, (value) => value > Date.now() / 1_000 - 30);
  // Of partners that spend: there is none yet.
  const names = Object.keys(sharedGauges).filter((name) => name !== 'kelpie_wallet_runway_seconds');
  const missing: string[] = [];
  for (const name of names) if ((await gauge(name)) === undefined) missing.push(name);
  assert.deepEqual(missing, []);
  const page = readFileSync(path.join(projectFolder, 'docs/operators.md'), 'utf8');
  const published = await (await fetch(`${address}/metrics`)).text();
  for (const [, name = ''] of published.matchAll(/^# TYPE (\S+)/gm))
    assert(page.includes(`\`${name}\``), `docs/operators.md has no ${name}`);
});

test('the age, number and money of open payouts rise while the bank does not settle', async () => {
  assert.equal(await gauge('kelpie_open_payouts', inState('processing')), 0);
  assert.equal(await gauge('kelpie_oldest_open_payout_seconds', inState('processing')), 0);
  assert.equal(await gauge('kelpie_money_in_flight_usdc', sandbox), 0);
  await createPayout(client, payoutBody({ amount_gbp: '100.00' }));
  await untilGauge('kelpie_open_payouts', inState('processing'), (value) => value === 1);
  // A hundred pounds are more than a hundred dollars.
  assert(((await gauge('kelpie_money_in_flight_usdc', sandbox)) ?? 0) > 100);
  await world.bank.control('/faults', { on: 'transfer.create', kind: 'drop_request' });
  const { payout: uncertain } = await createPayout(client, payoutBody());
  assert.equal(uncertain, 'pending');
  await untilGauge('kelpie_open_payouts', inState('pending'), (value) => value === 1);
  await world.bank.control('DELETE /faults');
  clock.move(60 * 60_000);
  await untilGauge('kelpie_oldest_open_payout_seconds', inState('processing'), anHourOrMore);
});

test('open cases, payment blocks and low wallets are counted', async () => {
  assert.equal(await gauge('kelpie_open_cases', sandbox), 0);
  assert.equal(await gauge('kelpie_payment_blocks', { cause: 'frozen' }), 0);
  await plant(`
    insert into kelpie.cases (id, partner_id, environment, payout_id, kind, detail, opened_at)
    values (gen_random_uuid(), '${world.partner.partnerId}', 'sandbox', gen_random_uuid(), 'stuck', 'planted', now());
    insert into kelpie.payment_blocks (id, cause, partner_id, reason, since, by)
    values (gen_random_uuid(), 'frozen', '${world.partner.partnerId}', 'planted', now(), 'test');
    insert into kelpie.wallet_alerts (partner_id, environment, low_since, threshold_micro_usdc)
    values ('${world.partner.partnerId}', 'sandbox', now(), 1)`);
  await untilGauge('kelpie_open_cases', sandbox, (value) => value === 1);
  // The clock was moved by an hour.
  await untilGauge('kelpie_oldest_case_seconds', sandbox, anHourOrMore);
  await untilGauge('kelpie_payment_blocks', { cause: 'frozen' }, (value) => value === 1);
  await untilGauge('kelpie_wallets_low', sandbox, (value) => value === 1);
  await plant('delete from kelpie.payment_blocks');
  await untilGauge('kelpie_payment_blocks', { cause: 'frozen' }, (value) => value === 0);
});

test('jobs that wait and jobs that were given up are counted by queue', async () => {
  const queue = { queue: 'email-invoice' };
  assert.equal(await gauge('kelpie_jobs_waiting', queue), 0);
  await plant(`
    insert into pgboss.job (name, data, state, created_on, start_after)
    values ('email-invoice', '{}', 'retry', now() - interval '1 hour', now() + interval '1 hour');
    insert into pgboss.job (name, data, state, completed_on) values ('email-invoice', '{}', 'failed', now())`);
  await untilGauge('kelpie_jobs_waiting', queue, (value) => value === 1);
  await untilGauge('kelpie_oldest_job_seconds', queue, anHourOrMore);
  await untilGauge('kelpie_jobs_failed', queue, (value) => value === 1);
});

test('a verification without differences and a schedule that succeeds leave their time', async () => {
  const queue = { queue: 'verify-ledger' };
  assert.equal(await gauge('kelpie_ledger_verified_timestamp_seconds'), 0);
  assert.equal(await gauge('kelpie_schedule_success_timestamp_seconds', queue), 0);
  await round('verify-ledger');
  await untilGauge('kelpie_ledger_verified_timestamp_seconds', {}, (value) => value > 0);
  await untilGauge('kelpie_schedule_success_timestamp_seconds', queue, (value) => value > 0);
});

test('a schedule that did not succeed when it should have is late, until it does', async () => {
  const queue = { queue: 'sweep-mails' };
  assert.equal(await gauge('kelpie_schedule_late_seconds', queue), 0);
  await plant(`update pgboss.schedule set created_on = now() - interval '3 days' where name = 'sweep-mails'`);
  await untilGauge('kelpie_schedule_late_seconds', queue, (value) => value > 24 * 3_600);
  await round('sweep-mails');
  await untilGauge('kelpie_schedule_late_seconds', queue, (value) => value === 0);
});

const reconciled = (state: string, at: string): string => `
  insert into kelpie.reconciliations (id, asked_by, started_at, cut_off_at, finished_at, state)
  values (gen_random_uuid(), 'test', '${at}', '${at}', '${at}', '${state}');`;

test('a clean reconciliation leaves its time, and one with differences does not', async () => {
  await plant(reconciled('clean', '2026-01-01T00:00:00Z') + reconciled('differences', '2026-01-02T00:00:00Z'));
  const at = Date.parse('2026-01-01T00:00:00Z') / 1_000;
  await untilGauge('kelpie_reconciled_timestamp_seconds', {}, (value) => value === at);
});

test('emails that are not sent are counted, with the age of the oldest', async () => {
  const waiting = (await gauge('kelpie_mails_waiting')) ?? Number.NaN;
  await plant(`
    insert into kelpie.outgoing_mails (id, kind, message_id, content_encrypted, created_at)
    values ('00000000-0000-7000-8000-000000000000', 'planted', '<planted@kelpie.example>', '\\x00', now())`);
  await untilGauge('kelpie_mails_waiting', {}, (value) => value === waiting + 1);
  await untilGauge('kelpie_oldest_mail_seconds', {}, anHourOrMore);
});

test('events that no worker can number wait, and are none once it can again', async () => {
  await plant('revoke execute on function kelpie.number_events from kelpie_service');
  assert.equal((await createPayout(client, payoutBody())).status, 201);
  await untilGauge('kelpie_unnumbered_events', {}, (value) => value >= 1);
  clock.move(60 * 60_000);
  await untilGauge('kelpie_oldest_unnumbered_event_seconds', {}, anHourOrMore);
  await plant('grant execute on function kelpie.number_events to kelpie_service');
  await untilGauge('kelpie_unnumbered_events', {}, (value) => value === 0);
  assert.equal(await gauge('kelpie_oldest_unnumbered_event_seconds'), 0);
});

test('deliveries that no worker takes wait, and endpoints are counted by state', async () => {
  await plant('revoke execute on function kelpie.claim_due_deliveries from kelpie_service');
  const { id, text } = await call(client, '/v1/webhooks', { method: 'POST', body: unreachable });
  assert(id !== '', text);
  await untilGauge('kelpie_webhooks', { state: 'enabled' }, (value) => value === 1);
  assert.equal(await gauge('kelpie_pending_deliveries'), 0);
  assert.equal((await createPayout(client, payoutBody())).status, 201);
  await untilGauge('kelpie_pending_deliveries', {}, (value) => value >= 1);
  clock.move(60 * 60_000);
  await untilGauge('kelpie_oldest_due_delivery_seconds', {}, anHourOrMore);
  await plant('grant execute on function kelpie.claim_due_deliveries to kelpie_service');
  // Its host is not found.
  await untilGauge('kelpie_webhooks', { state: 'failing' }, (value) => value === 1);
  await plant(`update kelpie.webhook_endpoints set disabled_at = now(), disabled_reason = 'requested'`);
  await untilGauge('kelpie_webhooks', { state: 'disabled' }, (value) => value === 1);
});

/** The partition of a table for a month after the clock's. */
function partition(table: string, monthsAhead: number): string {
  const month = new Date(Date.now() + 3 * 60 * 60_000);
  month.setUTCDate(1);
  month.setUTCMonth(month.getUTCMonth() + monthsAhead);
  return `kelpie.${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`;
}

async function ready(page: string): Promise<number> {
  return (await fetch(`${world.api.url}${page}`)).status;
}

test('without next month’s partition the months ahead fall to zero, and creation is not ready', async () => {
  assert(((await gauge('kelpie_months_ahead')) ?? 0) > 1);
  assert.equal(await ready('/readyz/writes'), 200);
  await plant(`drop table ${partition('activity', 1)}`);
  await untilGauge('kelpie_months_ahead', {}, (value) => value === 0);
  assert.deepEqual([await ready('/readyz/writes'), await ready('/readyz')], [503, 200]);
  await round('month-partitions');
  await untilGauge('kelpie_months_ahead', {}, (value) => value >= 3);
  assert.equal(await ready('/readyz/writes'), 200);
});

test('the wallet that runs out first says how long it lasts, and an api that no worker lives', async () => {
  const name = 'kelpie_worker_heartbeat_timestamp_seconds';
  await untilGauge(name, {}, (value) => value > Date.now() / 1_000 - 60);
  worker.kill('SIGKILL');
  await worker.exited;
  clock.move(60 * 60_000);
  const at = await readMetric(new URL(world.api.metricsUrl).origin, name);
  assert(at !== undefined && at < Date.now() / 1_000 + 4 * 60 * 60 - 3_000, String(at));
  // As much in a week as it holds at one dollar to the pound: what is left lasts longer, as a dollar is less.
  await plant(`
    insert into kelpie.daily_spending (partner_id, environment, on_day, subject, spent_pence)
    select w.partner_id, w.environment, (now() at time zone 'Europe/London')::date, '', w.balance_micro_usdc / 10000
    from kelpie.wallets w where w.partner_id = '${world.partner.partnerId}' and w.environment = 'sandbox'`);
  const next = await metricsAddressOf(await world.addWorker());
  const lasts = await eventually('the next worker reads it', async () =>
    readMetric(next, 'kelpie_wallet_runway_seconds', sandbox),
  );
  assert(lasts > 0.5 * 7 * 86_400 && lasts < 7 * 86_400, String(lasts));
});
