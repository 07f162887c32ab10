import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startWorker } from '../../../test/harness/processes.ts';
import { recording, recordingLock } from '../../../test/programs/recording-queue.ts';
import { openPool } from '../database/pool.ts';
import { inTransaction } from '../database/transaction.ts';
import { installJobEngine, openJobSender, startJobSender } from './jobs.ts';
import { createLogger } from '../logging.ts';

const takeOverWithinMs = 15_000;

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const ownerPool = openPool({ url: database.ownerUrl, connections: 2, applicationName: 'test', logger });
await installJobEngine(ownerPool, [recording], logger);
await ownerPool.end();
await asAdmin(database.superuserUrl, async (client) =>
  client.query(`
    create table public.recordings (job_id uuid not null, pid int not null);
    grant usage on schema public to kelpie_service;
    grant insert on public.recordings to kelpie_service`),
);

const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
const sender = await startJobSender(pool, logger);
after(async () => {
  await sender.stop();
  await pool.end();
});

const file = 'service/test/programs/recording-worker.ts';
const workers = [await startWorker({ database, file }), await startWorker({ database, file })];

async function findRecordings(): Promise<{ job_id: string; pid: number }[]> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ job_id: string; pid: number }>('select job_id, pid from public.recordings');
    return rows;
  });
}

test('a job exists from the commit of its transaction on, and never if that rolls back', async () => {
  const rolledBack = inTransaction(pool, 'shared', async (tx) => {
    await sender.enqueue(tx, recording, {});
    throw new Error('changed my mind');
  });
  await assert.rejects(rolledBack, /changed my mind/);

  const committed = await inTransaction(pool, 'shared', async (tx) => {
    const jobId = await sender.enqueue(tx, recording, {});
    const elsewhere = await asAdmin(database.superuserUrl, async (client) =>
      client.query('select from pgboss.job where id = $1', [jobId]),
    );
    assert.equal(elsewhere.rowCount, 0, 'the job could be seen before the commit');
    return jobId;
  });
  await eventually('the job is done', async () => (await findRecordings()).length > 0);
  assert.deepEqual(
    (await findRecordings()).map((row) => row.job_id),
    [committed],
  );
});

test('a job that the engine itself ended for good raises the alarm, once', async () => {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ id: string }>(
      `update pgboss.job set state = 'failed', output = '{"value": {"message": "job heartbeat timeout"}}'
       where name = $1 returning id`,
      [recording.name],
    ),
  );
  const [lost] = rows;
  assert(lost !== undefined);
  const alarm = new RegExp(`"job_id":"${lost.id}","attempt":\\d+,"action":"lost","event":"job.given_up"`, 'g');
  const alarms = (): number => workers.flatMap((worker) => worker.output().match(alarm) ?? []).length;
  await eventually('it is said', async () => alarms() > 0, 60_000);
  assert.equal(alarms(), 1);
});

test('a job whose worker is killed in its middle is done once, by the other worker, within 15 s', async (t) => {
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('truncate public.recordings');
    await client.query('select pg_advisory_lock($1)', [recordingLock]);
    const jobId = await inTransaction(pool, 'shared', async (tx) => sender.enqueue(tx, recording, {}));
    const holder = await eventually('a worker has the job', async () =>
      workers.find((worker) => worker.output().includes(`"job_id":"${jobId}","event":"recording.began"`)),
    );
    holder.kill('SIGKILL');
    await holder.exited;
    const killedAt = performance.now();
    await client.query('select pg_advisory_unlock($1)', [recordingLock]);

    await eventually('the other worker did it', async () => (await findRecordings()).length > 0, takeOverWithinMs);
    const tookMs = Math.round(performance.now() - killedAt);
    t.diagnostic(`taken over and done after ${tookMs} ms`);
    const other = workers.find((worker) => worker !== holder);
    assert.deepEqual(await findRecordings(), [{ job_id: jobId, pid: other?.pid }]);
    await eventually('it is marked as done', async () => {
      const { rows } = await client.query<{ state: string }>('select state from pgboss.job where id = $1', [jobId]);
      return rows[0]?.state === 'completed';
    });
    assert.equal((await findRecordings()).length, 1);
  });
});

test('a sender that can not begin fails the job, and is stopped all the same', async () => {
  const url = `postgres://kelpie_service@127.0.0.1:${await findPort()}/none`;
  const nowhere = openPool({ url, connections: 2, applicationName: 'test', logger });
  const sends = openJobSender(nowhere, logger);
  for (let tries = 0; tries < 2; tries += 1)
    await assert.rejects(inTransaction(pool, 'shared', async (tx) => sends.enqueue(tx, recording, {})));
  await sends.stop();
  await nowhere.end();
});
