import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startChild, type Child } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { closingPoints } from '../../src/billing/invoices/close-month.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { monthAfter, monthEnd, monthOf } from '../../src/platform/london-month.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
import { startWorker } from '../harness/processes.ts';
import { testSecrets } from '../harness/secrets.ts';
import { findBillingDifferences } from '../simulate/billing.ts';
import { chargePayout, createBilledPartners, listIssued } from './billed-partners.ts';

// kill -9 at every step of the monthly run, and two runs at once: real processes, one database.

const clock = createTestClock();
const database = await createTestDatabase();
const pool = openPool({
  url: database.serviceUrl,
  connections: 2,
  applicationName: 'test',
  logger: createLogger('test', 'silent'),
});
after(async () => pool.end());

const now = new Date();
const period = monthOf(now);
const partners = await createBilledPartners(database, 12, now);
for (const [at, partnerEnvironment] of partners.entries())
  await chargePayout(pool, partnerEnvironment, { at: now, invoiceShare: BigInt(100 + at), network: 17_380n });
// The month is over for whoever reads this clock, and the next is not, on whatever day this runs.
const hour = 60 * 60_000;
clock.move(monthEnd(period).getTime() - now.getTime() + hour);

const env = {
  KELPIE_MODE: 'development',
  KELPIE_DATABASE_URL: database.serviceUrl,
  KELPIE_OPERATOR_DATABASE_URL: database.operatorUrl,
  ...testSecrets,
  KELPIE_TEST_CLOCK_FILE: clock.file,
};

function startRun(more: Readonly<Record<string, string>> = {}): Child {
  const args = ['invoices', 'run', '--period', period, '--json'];
  const child = startChild({ name: 'invoices', file: 'service/src/app/cli.ts', args, env: { ...env, ...more } });
  after(async () => child.stop());
  return child;
}

/** What a run promises, at any moment: numbers without gaps, one invoice a partner and month, and books that agree. */
async function assertSound(): Promise<number> {
  const issued = await listIssued(database);
  assert.deepEqual(
    issued.map(({ number }) => number),
    issued.map((_, at) => at + 1),
  );
  const keys = issued.map((invoice) => `${invoice.partner_id} ${invoice.period}`);
  assert.equal(new Set(keys).size, keys.length);
  assert.deepEqual(await findBillingDifferences(database), []);
  return issued.length;
}

const points = [
  'database.count_books_to_close.after',
  'database.list_books_to_close.before',
  'database.list_books_to_close.after',
  ...closingPoints,
];

for (const point of points) {
  test(`a run that is killed at ${point} leaves an invoice whole or not at all`, async () => {
    const before = await assertSound();
    const { signal } = await startRun({ KELPIE_TEST_FAILPOINT: `${point}*1` }).exited;
    assert.equal(signal, 'SIGKILL');
    // What was committed before the kill is the only thing that can have stayed.
    assert.equal(await assertSound(), before + (point === 'invoice.committed' ? 1 : 0));
  });
}

test('two runs at once finish what the killed ones left: one invoice a partner, none missing, doubled or skipped', async () => {
  const runs = [startRun(), startRun()];
  for (const run of runs) assert.deepEqual(await run.exited, { code: 0, signal: null }, run.output());
  assert.equal(await assertSound(), partners.length);
  const issued = await listIssued(database);
  const totals = new Map(issued.map((invoice) => [invoice.partner_id, invoice.total]));
  // The share of the fee, the monthly account, and 1.738 pence of network fees.
  for (const [at, { partnerId }] of partners.entries()) assert.equal(totals.get(partnerId), 100 + at + 1_500 + 2);
});

test('a run that comes again does nothing, and says so', async () => {
  const run = startRun();
  assert.deepEqual(await run.exited, { code: 0, signal: null });
  assert.match(run.output(), /"partners":0,"invoices":0/);
  assert.equal(await assertSound(), partners.length);
});

test('a month that is not over is not invoiced', async () => {
  const run = startRun({ KELPIE_TEST_CLOCK_FILE: 'none' });
  const { code } = await run.exited;
  assert.equal(code, 2);
  assert.match(run.output(), /has not ended yet/);
});

test('two workers that get the job at once issue the next month, each invoice once', async () => {
  clock.move(monthEnd(monthAfter(period)).getTime() - monthEnd(period).getTime());
  const workers = [
    await startWorker({ database, env: { KELPIE_TEST_CLOCK_FILE: clock.file } }),
    await startWorker({ database, env: { KELPIE_TEST_CLOCK_FILE: clock.file } }),
  ];
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`insert into pgboss.job (name, data) values ('issue-invoices', '{}'), ('issue-invoices', '{}')`),
  );
  await eventually('all have their invoice', async () => (await listIssued(database)).length >= 2 * partners.length);
  for (const worker of workers) await worker.waitForEvent('invoices.issued');
  assert.equal(await assertSound(), 2 * partners.length);
  for (const worker of workers) await worker.stop();
});
