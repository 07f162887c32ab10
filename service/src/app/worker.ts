// The worker process: does the jobs. Any number of them run side by side; a job is in the hands of one at a time.
import { startJobWorker } from '../platform/jobs.ts';
import { composeWorker } from './compose-worker.ts';
import { beginWorker, stopOnSignal } from './process.ts';

const finishJobsWithinMs = 8_000;

const { mode, clock, logger, metrics, metricsPort, pool, enginePool } = await beginWorker();
const jobs = await startJobWorker(enginePool, logger, composeWorker({ clock, logger, pool }));
stopOnSignal(logger, async () => {
  await jobs.stop(finishJobsWithinMs);
  await enginePool.end();
  await pool.end();
  await metrics.close();
});
logger.info({ mode, metrics_port: metricsPort }, 'worker.working');
