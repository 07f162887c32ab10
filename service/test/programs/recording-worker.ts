// A worker like the real one, with one job more: it says that it began, waits until the test lets go of a lock, and then
// writes down who did it. That is long enough to be killed in the middle.
import { startJobWorker, type JobHandler, type Queue } from '../../src/platform/jobs/jobs.ts';
import { beginWorker, stopOnSignal } from '../../src/app/wiring/process.ts';
import { recording, recordingLock } from './recording-queue.ts';

const { logger, pool, enginePool, wakeUps, endPools, metrics } = await beginWorker(() => ({}));

const record: JobHandler = async ({ jobId }) => {
  logger.info({ job_id: jobId }, 'recording.began');
  const client = await pool.connect();
  try {
    await client.query('set statement_timeout = 0; set lock_timeout = 0');
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock_shared($1)', [recordingLock]);
    await client.query('insert into public.recordings (job_id, pid) values ($1, $2)', [jobId, process.pid]);
    await client.query('commit');
  } finally {
    client.release(true);
  }
};

const jobs = await startJobWorker(
  { enginePool, logger, wakeUps, onRound: () => undefined },
  new Map<Queue, JobHandler>([[recording, record]]),
);
stopOnSignal(logger, async () => {
  await jobs.stop(1_000);
  await endPools();
  await metrics.close();
});
logger.info({}, 'worker.working');
