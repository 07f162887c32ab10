import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../harness/database.ts';
import { metricsAddressOf, readMetric } from '../harness/metrics.ts';
import { startWorker } from '../harness/processes.ts';

const database = await createTestDatabase();
const env = { KELPIE_READER_DATABASE_URL: database.readerUrl };

async function addWorker() {
  const child = await startWorker({ database, env });
  return { child, address: await metricsAddressOf(child) };
}

const workers = [await addWorker(), await addWorker(), await addWorker()];
let living = workers;

/** Those that publish a shared figure now. */
async function publishers() {
  const shown = await Promise.all(
    living.map(async (worker) => ({ worker, value: await readMetric(worker.address, 'kelpie_unnumbered_events') })),
  );
  return shown.filter(({ value }) => value !== undefined).map(({ worker }) => worker);
}

/** Until one does. Never two. */
async function onePublisher() {
  return eventually('one publishes', async () => {
    const found = await publishers();
    assert(found.length <= 1, `${found.length} publish`);
    return found[0];
  });
}

test('of several workers one publishes what they share, and all say that they live', async () => {
  const first = await onePublisher();
  // Twice as long as between two reads.
  const until = performance.now() + 10_000;
  await eventually('it stays the only one', async () => {
    assert.deepEqual(await publishers(), [first]);
    return performance.now() > until;
  });
  for (const { address } of living) {
    assert.notEqual(await readMetric(address, 'kelpie_worker_heartbeat_timestamp_seconds'), undefined);
    assert.equal(await readMetric(address, 'kelpie_build_info', { process: 'worker', commit: 'development' }), 1);
  }
});

test('when the worker that publishes is killed, another one does', async () => {
  const first = await onePublisher();
  first.child.kill('SIGKILL');
  await first.child.exited;
  living = living.filter((one) => one !== first);
  assert.notEqual(await onePublisher(), first);
});

test('a worker whose connection is lost publishes none from then on, and one of them does again', async () => {
  await onePublisher();
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'kelpie-worker-figures' and datname = current_database()`,
    ),
  );
  await eventually('it has noticed', async () => (await publishers()).length === 0);
  await onePublisher();
});

test('while they cannot be read none is published, and the log says so', async () => {
  const publisher = await onePublisher();
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query('revoke select on kelpie.unnumbered_events from kelpie_reader'),
  );
  await eventually('none is published', async () => (await publishers()).length === 0);
  assert.match(publisher.child.output(), /"event":"gauges.not_read"/);
  assert.equal(await readMetric(publisher.address, 'kelpie_writes_open'), 1);
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query('grant select on kelpie.unnumbered_events to kelpie_reader'),
  );
  await onePublisher();
});
