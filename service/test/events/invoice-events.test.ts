import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { runInvoices } from '../../src/billing/index.ts';
import { markOverdueInvoices } from '../../src/billing/payments/mark-overdue.ts';
import { noFailpoint } from '../../src/platform/failpoint.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createSingleCalls } from '../../src/platform/database/single-call.ts';
import { startJobSender } from '../../src/platform/jobs/jobs.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { monthEnd, monthOf } from '../../src/platform/london-month.ts';
import { createBilledPartners } from '../billing/billed-partners.ts';
import { openOperators } from '../billing/collecting-operators.ts';
import { call, type Client } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
import { judgeEvents } from '../harness/judge-events.ts';
import { addKey } from '../harness/partners.ts';
import { startApi, startWorker } from '../harness/processes.ts';
import { readEvents, typesIn, untilEvents } from './reading.ts';

// An invoice from its month's end on. The clock of the processes is the test's, so that no other run issues it.

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 4, applicationName: 'test', logger });
const calls = createSingleCalls(pool, noFailpoint);
const jobs = await startJobSender(pool, logger);
const moved = createTestClock();
const env = { KELPIE_TEST_CLOCK_FILE: moved.file };
const { url } = await startApi({ database, env });
await startWorker({ database, env });

const period = monthOf(new Date());
const dayMs = 24 * 3_600_000;
let now = monthEnd(period);
const clock = { now: () => now };
const operators = openOperators({ database, clock, jobs });
after(async () => {
  await operators.end();
  await jobs.stop();
  await pool.end();
});

interface Billed {
  client: Client;
  partnerId: string;
}

async function newPartner(): Promise<Billed> {
  const [made] = await createBilledPartners(database, 1, new Date());
  assert(made !== undefined);
  const { key } = await addKey(database, made);
  return { client: { url, key }, partnerId: made.partnerId };
}

async function issueInvoices(): Promise<void> {
  const report = await runInvoices({ pool, calls, clock, logger, failpoint: noFailpoint, jobs }, { upto: period });
  assert.equal(report.failed, 0);
}

const markOverdue = async (): Promise<number> =>
  markOverdueInvoices({ pool, clock, jobs, failpoint: noFailpoint }, new AbortController().signal);

async function show({ client }: Billed, event: unknown): Promise<unknown> {
  return (await call(client, `/v1/invoices/${textAt(event, 'data.id')}`)).json;
}

test('an invoice that is issued, falls overdue and is paid is an event of live each time, as it was then', async () => {
  const [billed, other] = [await newPartner(), await newPartner()];
  await issueInvoices();
  await issueInvoices();
  const [issued] = await untilEvents(billed.client, 1);
  assert.deepEqual(valueAt(issued, 'data'), await show(billed, issued));
  const invoiceId = textAt(issued, 'data.id');
  now = new Date(now.getTime() + 16 * dayMs);
  moved.move(now.getTime() - Date.now());
  await operators.pay({ invoiceId, partnerId: billed.partnerId, amount: 500n, bankReference: 'EV-1' });
  await Promise.all([markOverdue(), markOverdue()]);
  await markOverdue();
  const [, overdue] = await untilEvents(billed.client, 2);
  assert.deepEqual(valueAt(overdue, 'data'), await show(billed, overdue));
  assert.equal(valueAt(overdue, 'data.paid_gbp'), '5.00');
  assert.equal(
    await operators.pay({ invoiceId, partnerId: billed.partnerId, amount: 1_000n, bankReference: 'EV-2' }),
    'paid',
  );
  const events = await untilEvents(billed.client, 3);
  assert.deepEqual(typesIn(events), ['invoice.issued', 'invoice.overdue', 'invoice.paid']);
  assert.deepEqual(valueAt(events[2], 'data'), await show(billed, events[2]));
  assert.deepEqual(
    events.map((event) => [valueAt(event, 'sequence'), valueAt(event, 'environment'), valueAt(event, 'data.status')]),
    [
      [1, 'live', 'issued'],
      [2, 'live', 'overdue'],
      [3, 'live', 'paid'],
    ],
  );
  assert.deepEqual(events[0], issued, 'it stays as it was');
  const ofOther = await readEvents(other.client);
  assert.deepEqual(typesIn(ofOther), ['invoice.issued', 'invoice.overdue']);
  assert(ofOther.every((event) => textAt(event, 'data.id') !== invoiceId));
  assert.deepEqual(await asAdmin(database.superuserUrl, judgeEvents), []);
});
