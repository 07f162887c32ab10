import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { openRounds } from '../funding/topping-up.ts';
import { createPayout, payoutBody } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
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
const { metrics_port: metricsPort } = await worker.waitForEvent('worker.working');
const round = await openRounds(database);
const client = { url: world.api.url, key: world.partner.key };

/** The value of a gauge with these labels, as Prometheus reads it. */
async function gauge(name: string, labels = '', url = `http://127.0.0.1:${String(metricsPort)}/metrics`) {
  const text = await (await fetch(url)).text();
  const line = text.split('\n').find((one) => one.startsWith(labels === '' ? `${name} ` : `${name}{${labels}}`));
  return line === undefined ? undefined : Number(line.split(' ')[1]);
}

async function untilGauge(what: string, name: string, labels: string, is: (value: number) => boolean): Promise<void> {
  await eventually(what, async () => is((await gauge(name, labels)) ?? Number.NaN));
}

async function plant(sql: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) => admin.query(sql));
}

const inState = (name: string): string => `state="${name}",environment="sandbox"`;

test('the age of the oldest open payout and the number of open ones rise while the bank does not settle', async () => {
  assert.equal(await gauge('kelpie_open_payouts', inState('processing')), 0);
  assert.equal(await gauge('kelpie_oldest_open_payout_seconds', 'environment="sandbox"'), 0);
  await createPayout(client, payoutBody());
  await untilGauge('one is open', 'kelpie_open_payouts', inState('processing'), (value) => value === 1);
  await world.bank.control('/faults', { on: 'transfer.create', kind: 'drop_request', times: 1 });
  const { payout: uncertain } = await createPayout(client, payoutBody());
  assert.equal(uncertain, 'pending');
  await untilGauge('one is pending', 'kelpie_open_payouts', inState('pending'), (value) => value === 1);
  clock.move(60 * 60_000);
  await untilGauge(
    'it is an hour old',
    'kelpie_oldest_open_payout_seconds',
    'environment="sandbox"',
    (value) => value >= 3_600,
  );
});

test('open cases and payment blocks are counted', async () => {
  assert.equal(await gauge('kelpie_open_cases', 'environment="sandbox"'), 0);
  await plant(`
    insert into kelpie.cases (id, partner_id, environment, payout_id, kind, detail, opened_at)
    values (gen_random_uuid(), '${world.partner.partnerId}', 'sandbox', gen_random_uuid(), 'stuck', 'planted', now());
    insert into kelpie.payment_blocks (id, cause, partner_id, reason, since, by)
    values (gen_random_uuid(), 'frozen', '${world.partner.partnerId}', 'planted', now(), 'test')`);
  await untilGauge('a case is open', 'kelpie_open_cases', 'environment="sandbox"', (value) => value === 1);
  await untilGauge('a block is in force', 'kelpie_payment_blocks', 'cause="frozen"', (value) => value === 1);
});

test('a verification without differences and a schedule that succeeds leave their time', async () => {
  const queue = 'queue="verify-ledger"';
  assert.equal(await gauge('kelpie_ledger_verified_timestamp_seconds'), 0);
  assert.equal(await gauge('kelpie_schedule_success_timestamp_seconds', queue), 0);
  await round('verify-ledger');
  await untilGauge('verified', 'kelpie_ledger_verified_timestamp_seconds', '', (value) => value > 0);
  await untilGauge('succeeded', 'kelpie_schedule_success_timestamp_seconds', queue, (value) => value > 0);
});

const reconciled = (state: string, at: string): string => `
  insert into kelpie.reconciliations (id, asked_by, started_at, cut_off_at, finished_at, state)
  values (gen_random_uuid(), 'test', '${at}', '${at}', '${at}', '${state}');`;

test('a clean reconciliation leaves its time, and one with differences does not', async () => {
  await plant(reconciled('clean', '2026-01-01T00:00:00Z') + reconciled('differences', '2026-01-02T00:00:00Z'));
  await untilGauge(
    'the clean one counts',
    'kelpie_reconciled_timestamp_seconds',
    '',
    (value) => value === Date.parse('2026-01-01T00:00:00Z') / 1_000,
  );
});

/** The partition of a table for a month after the clock's. */
function partition(table: string, monthsAhead: number): string {
  const month = new Date(Date.now() + 60 * 60_000);
  month.setUTCDate(1);
  month.setUTCMonth(month.getUTCMonth() + monthsAhead);
  return `kelpie.${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`;
}

async function ready(address: string): Promise<number> {
  return (await fetch(`${world.api.url}${address}`)).status;
}

test('without next month’s partition the months ahead fall to zero, and creation is not ready', async () => {
  assert(((await gauge('kelpie_months_ahead')) ?? 0) > 1);
  assert.equal(await ready('/readyz/writes'), 200);
  await plant(`drop table ${partition('activity', 1)}`);
  await untilGauge('none is ahead', 'kelpie_months_ahead', '', (value) => value === 0);
  assert.deepEqual([await ready('/readyz/writes'), await ready('/readyz')], [503, 200]);
  await round('month-partitions');
  await untilGauge('they are made again', 'kelpie_months_ahead', '', (value) => value >= 3);
  assert.equal(await ready('/readyz/writes'), 200);
});

test('an api tells that no worker lives: its heartbeat stays where it was', async () => {
  const name = 'kelpie_worker_heartbeat_timestamp_seconds';
  await untilGauge('the worker lives', name, '', (value) => value > Date.now() / 1_000 - 60);
  worker.kill('SIGKILL');
  await worker.exited;
  clock.move(60 * 60_000);
  const at = await gauge(name, '', world.api.metricsUrl);
  assert(at !== undefined && at < Date.now() / 1_000 + 2 * 60 * 60 - 3_000, String(at));
});
